import"/assets/part-YV722HL4.js";var s=`# HelveNATSUnavailable

## Meaning

A process has no connection to NATS, or JetStream does not answer its requests: the server is down, the network is cut, or the cluster has no quorum.

## Effect

Calls are refused with \`unavailable\`. Running calls go on, and their results are stored when NATS is back. Nothing that was accepted is lost.

## Confirm

- \`/readyz\` of the instance names the reason.
- \`helve_nats_connected\` is 0 without a connection; with a connection and \`helve_jetstream_up\` 0 there is no quorum.
- \`nats server report jetstream\` (system account) shows the leader and the members.

## Fix

1. Start the servers that are down. Of three at least two must run.
2. If all run, look at the routes between them and at the disks of their JetStream directories.
3. Processes connect again by themselves.
`;export{s as default};
