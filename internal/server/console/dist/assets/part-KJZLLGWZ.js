import"/assets/part-YV722HL4.js";var t=`# HelveStreamReplicasMissing

## Meaning

A stream has fewer current copies than are configured: a server is down, or its copy is behind.

## Effect

Nothing yet. If one more server fails, the stream has no leader.

## Confirm

- \`helve_stream_replicas{state="current"}\` by stream.
- \`nats stream info STREAM\` lists the copies with \`offline\` or their lag.

## Fix

1. Start the server that is down, or replace it: \`nats server raft peer-remove\`, then the stream makes a new copy.
2. A copy that lags without end needs a faster disk or network.
`;export{t as default};
