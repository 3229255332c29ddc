import"/assets/part-YV722HL4.js";var i=`# HelveAuditIndexBehind

## Meaning

More than 10,000 places of the trail are not copied into the audit database for five minutes.

## Effect

\`audit.query\` and lookups of old calls miss recent records. Nothing is lost: the trail is the stream, and the index is built from it.

## Confirm

- \`/readyz\` of a dispatcher shows \`audit_index\`.
- The log line \`audit index copy failed; retrying, no record is lost\` names the error of the database.

## Fix

1. Repair the database of \`store.url\`: its connections, its disk, a lock of another program.
2. With SQLite look for a program that holds \`store/audit.db\` open.
3. The index catches up by itself. If the database is damaged, remove it; it is built again.
`;export{i as default};
