import"/assets/part-YV722HL4.js";var l=`# HelveOverloaded

## Meaning

Calls for a pool are refused because \`dispatcher.max_backlog\` calls wait in it, or because a stream that every call
needs is at its bound.

## Effect

Callers get \`overloaded\` with a time after which to try again. Nothing that was accepted is lost.

## Confirm

- \`sum by (pool) (rate(helve_overloaded_total[5m]))\` and \`max by (pool) (helve_pool_backlog)\`.

- \`/readyz\` of a dispatcher and \`helve doctor --server URL\` name the stream, if it is one. The log has \`stream full, calls refused\`.

## Fix

0. A full stream: follow [HelveJetStreamFull](HelveJetStreamFull.md).
1. Follow [HelveBacklogGrowing](HelveBacklogGrowing.md).
2. If workers keep up and peaks are short, raise \`dispatcher.max_backlog\`. Each waiting call uses memory and disk of NATS (docs/deploy.md).
`;export{l as default};
