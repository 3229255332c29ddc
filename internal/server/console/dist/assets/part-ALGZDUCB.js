import"/assets/part-YV722HL4.js";var o=`# HelveBacklogGrowing

## Meaning

More than 100 calls wait in a pool, and the number rises for five minutes: calls arrive faster than the workers of the pool end them.

## Effect

Calls take longer. At \`dispatcher.max_backlog\` new calls are refused as \`overloaded\`.

## Confirm

- Dashboard Pools, row Saturation: busy slots near 100 % mean too few workers.
- \`topk(5, sum by (tool) (rate(helve_call_duration_seconds_sum[5m])))\` shows the tools that use the slots.
- \`topk(5, sum by (tenant) (rate(helve_tenant_calls_total[5m])))\` shows the tenants that call.

## Fix

1. Start more workers for the pool, or raise \`worker.slots\` if their CPU is not used up.
2. If one tool became slow, repair what it depends on.
3. If one tenant sends too much, bound it with \`quota.tenants\` or \`rate_limits\`.
`;export{o as default};
