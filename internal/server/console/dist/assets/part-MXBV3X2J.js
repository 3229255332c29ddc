import"/assets/part-YV722HL4.js";var l=`# HelveOldestCallTooOld

## Meaning

A call has waited for a worker of the pool for more than a minute. The backlog need not be large: one lane without a worker is enough.

## Effect

The caller of that call still waits, or was told that it is pending. Calls of other lanes may be quick.

## Confirm

- \`time() - min by (pool) (helve_pool_oldest_call_timestamp_seconds)\` shows the age.
- \`helve workers\` shows whether workers of the pool are live and have free slots.

## Fix

1. With a growing backlog follow [HelveBacklogGrowing](HelveBacklogGrowing.md); without workers [HelvePoolWithoutWorkers](HelvePoolWithoutWorkers.md).
2. If slots are free, workers of the pool lack the tool: compare the versions that \`helve workers\` lists.
3. \`nats consumer report HELVE_CALLS\` shows the lane in which calls wait.
`;export{l as default};
