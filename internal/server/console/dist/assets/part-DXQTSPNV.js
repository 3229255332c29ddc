import"/assets/part-YV722HL4.js";var l=`# HelveAuditRefused

## Meaning

Audit records could not be stored, because the trail is full or NATS did not acknowledge them, or the trail is nearly full.

## Effect

A call whose record cannot be stored does not act: callers get errors or \`overloaded\`.

## Confirm

- \`sum by (reason) (increase(helve_audit_refused_total[5m]))\`: full or unavailable.
- \`helve_stream_fill_ratio{stream="HELVE_AUDIT"}\`.

## Fix

1. For full: raise \`audit.max_bytes\` or shorten \`audit.max_age\`, and restart the dispatchers. Export first what must be kept (\`helve audit export\`).
2. For unavailable: follow [HelveNATSUnavailable](HelveNATSUnavailable.md).
`;export{l as default};
