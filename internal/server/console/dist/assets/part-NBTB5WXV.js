import"/assets/part-YV722HL4.js";var r=`# HelvePolicyReloadFailed

## Meaning

The files of \`policy.rules\` were changed and cannot be read. The rules that were in force stay in force.

## Effect

The change has no effect. If it was to forbid something, that is still allowed.

## Confirm

- \`helve doctor --server URL\`, part \`policy\`, names the workers.
- The log line \`policy rules refused; the old ones stay\` of a worker names file and line.
- \`count by (sha256) (helve_policy_info)\` shows whether all workers have the same rules.

## Fix

1. Correct the file; \`helve policy check FILE\` reports what is wrong. Workers read it again within two seconds.
`;export{r as default};
