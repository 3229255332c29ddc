import"/assets/part-YV722HL4.js";var t=`# HelvePoolWithoutWorkers

## Meaning

No live worker takes calls of a pool that has tools or had workers. Workers announce themselves every two seconds; after five seconds without an announcement a worker counts as gone.

## Effect

Calls of the tools of the pool are refused within two seconds with \`tool_not_available\`, or wait in the queue until \`dispatcher.queue_ttl\` is over. Other pools are not affected.

## Confirm

- \`helve workers\` lists the live workers of every pool.
- \`max by (pool) (helve_pool_workers)\` shows when the last one left.
- The log of the last worker: \`worker drain started\` is a planned stop, \`the program failed\` is not.

## Fix

1. Start a worker with the pool in \`worker.pools\`.
2. If workers run but are not listed, look at their \`/readyz\`: a worker that cannot reach NATS does not announce itself.
3. If the pool was removed on purpose, remove its tools: a tool that stays in the catalogue keeps the alert.
`;export{t as default};
