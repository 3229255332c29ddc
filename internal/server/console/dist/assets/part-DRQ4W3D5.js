import"/assets/part-YV722HL4.js";var s=`# HelveSealLag

## Meaning

Audit records wait for a seal for more than a minute, or no dispatcher holds the lease for sealing.

## Effect

Records are stored and can be read, but a change of a record that has no seal cannot be proven. Finished calls whose records are not on the trail are kept in \`HELVE_RESULTS\`, which grows.

## Confirm

- \`helve_lease_held{lease="sealer"}\` is 1 on the dispatcher that seals.
- \`helve_audit_seal_lag_seconds\` on that dispatcher.
- Its log lines \`audit sealing problem\` and \`audit sealing stopped\` name the reason.

## Fix

1. Restart the dispatcher that holds the lease; another takes it over after two seconds.
2. If no dispatcher gets the lease, look at the bucket: \`nats kv get helve_leases sealer\` names the holder. A holder that does not run is replaced by itself; a process that holds the lease and does not seal must be stopped.
3. If sealing fails, check the keys in \`keys.dir\` and the streams \`HELVE_AUDIT\` and \`HELVE_SEALS\`.
`;export{s as default};
