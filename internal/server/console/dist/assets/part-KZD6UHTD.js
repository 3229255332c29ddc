import"/assets/part-YV722HL4.js";var t=`# HelveAuditForged

## Meaning

Audit records were sealed of which no key proves the writer: a program that may publish on \`helve.v1.*.audit.>\` wrote them in the
name of a process of Helve, or changed a real one. Or a process of an earlier version still runs, whose records have no proof.

## Effect

None on calls. \`helve audit verify\` names each of these records as \`forged\`, and queries show them with this problem and \`sealed: false\`.

## Confirm

- \`sum by (reason) (increase(helve_audit_unproven_total[15m]))\`. \`unknown\` alone is no attack: the writer did not know the dispatcher that
  sealed: it has just started, or it has keys of its own and NATS has no credentials.
- \`helve audit verify\`: the places, the tenants, and the kind of each problem.
- \`helve workers\`: is the worker that such a record names there, and of which version?

## Fix

1. Find out who can publish there: without credentials on NATS everybody who reaches it can ([nats-auth.md](../nats-auth.md)). With them it is
   the holder of a worker's or a dispatcher's credential: replace those (\`helve nats-auth\`), first that of the pool that the records name.
2. Upgrade processes of an earlier version.
3. The forged records stay in the trail, named, until \`audit.max_age\`: a trail from which records can be taken out is none.
`;export{t as default};
