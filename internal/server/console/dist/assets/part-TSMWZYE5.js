import{c as l,e as h}from"/assets/part-I4F2LADD.js";import"/assets/part-2RBRNKPQ.js";import{a as n}from"/assets/part-MUM7BP3Z.js";import"/assets/part-WNWHGP2H.js";import{q as r}from"/assets/part-6YWCGWC5.js";import"/assets/part-LGQYS7WE.js";var d=new Map([["HelveAuditForged",`# HelveAuditForged

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
`],["HelveAuditIndexBehind",`# HelveAuditIndexBehind

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
`],["HelveAuditRefused",`# HelveAuditRefused

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
`],["HelveBacklogGrowing",`# HelveBacklogGrowing

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
`],["HelveCallbacksFailing","# HelveCallbacksFailing\n\n## Meaning\n\nFor a quarter of an hour a result has been waiting for the receiver of its callback, or callbacks were given up: a receiver did not take a result in 24 hours, or there was no result to send.\n\n## Effect\n\nThe front ends that named the callback do not learn how their calls ended; the calls themselves are not affected, and `calls.get` returns their results. A result is sent again at most every hour until 24 hours have passed. A tenant with `callbacks.max_waiting` callbacks that wait gets `rate_limited` for calls with a callback.\n\n## Confirm\n\n- The log lines `callback not delivered; trying again` and `callback given up` of the dispatcher that sends name the call, the host and the cause.\n- Dashboard Dependencies, section Callbacks: how many wait, how old the oldest is, and with which outcome callbacks ended.\n- Audit records of the phase `callback_failed` name the calls that were given up: `helve audit --phase callback_failed`.\n- The log line `tenant has as many waiting callbacks as it may` names a tenant whose calls are refused.\n\n## Fix\n\n1. `status 4xx` or `5xx`: the receiver refuses; ask its operator. `401` is usually a secret in `callback.headers` that was replaced.\n2. A failure to connect, of DNS or TLS: look for what is between the dispatchers and the receiver, such as a firewall or a certificate.\n3. `the host is not among callbacks.allowed_hosts`: the host was removed from the list, or this dispatcher has another list. Give all dispatchers the same one.\n4. `the headers cannot be decrypted`: the master key was replaced. Put the old one below the new one in the file of `--secrets-key`.\n5. `there was no room to keep the result`: raise `callbacks.max_bytes` and `callbacks.max_messages`.\n6. A receiver that does not come back: let it answer 410, or accept that its results are given up. Then the alert clears within three quarters of an hour.\n"],["HelveCircuitOpen",`# HelveCircuitOpen

## Meaning

A server outside, such as an API, a web site or a mail server, has failed ten times in a row for a tenant for minutes: it could not be reached, did not answer in time, or answered 502, 503 or 504.

## Effect

Requests of that tenant to that server end immediately in \`network_error\` with the seconds until the next try, on the workers where it failed. Every ten seconds one request tries it. Other tenants and other servers are not affected.

## Confirm

- \`helve doctor --server URL\`, part \`circuits\`, names the server, the tenant and the workers.
- The log lines \`circuit opened\` of the workers name the tenant and the server.
- \`helve_circuit_openings_total\` rises with each try that fails.
- Dashboard Dependencies, panel Servers outside that fail.

## Fix

1. If it is a server of yours, repair it. If it is a provider's, read the provider's status page.
2. If no server fails, look for what is between: DNS, a firewall, the route of the workers' network.
3. If the address is wrong, correct it in the entry of the service (\`helve config set\`).
4. Nothing needs a restart: the first request that works closes the circuit.
`],["HelveConsentsExpiring",`# HelveConsentsExpiring

## Meaning

Requests for consent wait for a person and have less than a quarter of \`consent.ttl\` left.

## Effect

Without a decision each of these calls ends with \`consent_expired\`.

## Confirm

- \`helve consent list\` shows a person's requests.
- Dashboard Consent: a long time to the verdict means that nobody looks.

## Fix

1. Remind the persons, or send the requests where they look (the event stream of their consents, \`helve consent watch\`).
2. If requests often expire, raise \`consent.ttl\`, or let persons grant a tool for longer.
`],["HelveCredentialExpiring",`# HelveCredentialExpiring

## Meaning

A certificate, NATS credential or API key that a process uses expires within two weeks, or has expired.

## Effect

When it expires the process loses its connection to NATS, or the holders of the key get 401.

## Confirm

- \`helve_credential_expiry_timestamp_seconds\` by credential: \`nats_ca\`, \`nats_certificate\`, \`nats_credentials\` or \`api_keys\`. Files that a
  NATS context names (\`nats.context\`) are covered; NKeys and signing keys do not expire.
- \`openssl x509 -enddate -noout -in FILE\` for a certificate.

## Fix

1. Renew the file in its place. Key files are read again without a restart; a certificate or credential of NATS is read at the next connection.
2. For an API key: \`helve auth key\` makes a new one; remove the old entry when its holders have the new key.
`],["HelveJetStreamFull","# HelveJetStreamFull\n\n## Meaning\n\nA stream holds more than 80 % of its bound, or the NATS account more than 80 % of its disk, copies on all\nservers counted. The bound of the account is `--max-disk` of `helve nats-auth server`, or `max_file` in\n`nats.conf`; where it has none, `helve_jetstream_storage_limit_bytes` is 0 and only streams are watched.\n\n## Effect\n\nAt 95 % of the bound of `HELVE_CALLS`, `HELVE_RESULTS`, `HELVE_ONCE` or `HELVE_AUDIT` new calls are refused as `overloaded`.\n\n## Confirm\n\n- Dashboard Dependencies, row Streams, names the stream.\n- `helve_stream_holds_seconds{stream}` is the time whose messages it holds: where that is shorter than `streams.results_max_age`, the\n  bound of `HELVE_RESULTS` is too small for this rate of calls; where it is longer, results wait for the trail.\n- No stream in the alert: it is the disk. `helve_jetstream_storage_bytes` and `helve_stream_bytes` show what holds it.\n- `HELVE_CALLS` grows with the backlog, `HELVE_RESULTS` and `HELVE_ONCE` with the rate of calls, `HELVE_AUDIT` with time.\n\n## Fix\n\n0. Bounds that no setting asked for come from the storage of NATS (docs/deploy.md, Memory and disk of NATS): give the servers more.\n1. Raise the bound in `streams` or `audit.max_bytes`. For the disk raise the volume, `max_file_store` of each server, and\n   `--max-disk`, in this order.\n2. Shorten `streams.results_max_age` or `audit.max_age`.\n3. If `HELVE_RESULTS` grows because records are not on the trail, follow [HelveSealLag](HelveSealLag.md).\n"],["HelveNATSSlow",`# HelveNATSSlow

## Meaning

A request to JetStream takes more than 250 ms.

## Effect

Every call takes several times as long. Heartbeats may come late, and calls are delivered again.

## Confirm

- \`helve_nats_round_trip_seconds\` shows the network alone: if it is as long, the network or the server's CPU is slow; if it is short, the disk is.
- On the NATS servers: load, disk latency (\`iostat -x 1\`), \`nats server report jetstream\`.

## Fix

1. Give the NATS servers faster disks and CPUs of their own.
2. Place dispatchers and workers near the servers.
3. With \`sync_interval: always\` each write waits for the disk; see docs/deploy.md.
`],["HelveNATSUnavailable",`# HelveNATSUnavailable

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
`],["HelveOldestCallTooOld",`# HelveOldestCallTooOld

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
`],["HelveOverloaded",`# HelveOverloaded

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
`],["HelvePolicyReloadFailed",`# HelvePolicyReloadFailed

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
`],["HelvePoolWithoutWorkers",`# HelvePoolWithoutWorkers

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
`],["HelveProgramsIdle",`# HelveProgramsIdle

## Meaning

For ten minutes programs have been woken more often than four times a minute, and their turns neither made a call nor stored an outcome: a program is queued, runs again from its journal, and waits again for the same thing.

## Effect

Each turn takes a sandbox and the CPU for a replay. Other programs and scripts of the same pool wait longer. No step is made twice.

## Confirm

- Dashboard Dependencies, section Programs: the turns with the outcome \`idle\`, and the entries that were read again.
- \`helve programs list --status pending\` lists the programs; \`helve programs show ID\` has what each waits for. A program whose step has ended and that still waits for it is the one.
- The log lines \`program not looked at; trying again\` and \`program queued again: it was neither in the queue nor with a worker\` of the dispatcher with the lease \`programs\` name the call.

## Fix

1. A step that has ended, by \`helve get STEP\`, and whose program still waits: the dispatchers run different releases. Finish the upgrade.
2. \`program not looked at\`: the cause is in the line. JetStream that does not answer is the alert HelveNATSSlow or HelveStreamUnusable.
3. One program that does not go on: \`helve programs cancel ID\`. Its steps end first, and its result lists those that were cut off.
4. If it comes back, restart the dispatcher that holds the lease: another one takes it within five seconds. Report the journal of the program with the log.
`],["HelveSealLag",`# HelveSealLag

## Meaning

Audit records wait for a seal for more than a minute, or no dispatcher holds the lease for sealing.

## Effect

Records are stored and can be read, but a change of a record that has no seal cannot be proven. Finished calls whose records are not on the trail are kept in \`HELVE_RESULTS\`, which grows.

## Confirm

- \`helve_lease_held{lease="sealer"}\` is 1 on the dispatcher that seals.
- \`helve_audit_seal_lag_seconds\` on that dispatcher.
- Its log lines \`audit sealing problem\` and \`audit sealing stopped\` name the reason.

## Fix

1. Restart the dispatcher that holds the lease; another takes it over after two seconds.
2. If no dispatcher gets the lease, look at the bucket: \`nats kv get helve_leases sealer\` names the holder. A holder that does not run is replaced by itself; a process that holds the lease and does not seal must be stopped.
3. If sealing fails, check the keys in \`keys.dir\` and the streams \`HELVE_AUDIT\` and \`HELVE_SEALS\`.
`],["HelveStreamRepaired",`# HelveStreamRepaired

## Meaning

Something other than Helve deleted or altered a stream, a bucket or a consumer of Helve, and Helve made it again or changed it back.

## Effect

None now. What a deleted stream held may be lost; [cluster.md](../cluster.md) says what for each. It happens again until the cause is found.

## Confirm

- \`increase(helve_stream_repairs_total[1h]) > 0\` names the streams.
- The log of dispatchers and workers has \`stream was missing, made again\`, \`stream was altered, settings changed back\` or \`consumer not as it must be, made again\`.

## Fix

1. Find what administers NATS beside Helve: a script, an operator's \`nats\` command, a tool that applies stream definitions (NACK, Terraform). Take Helve's streams out of it.
2. Give Helve an account of its own with credentials for each role (\`helve nats-auth\`, [nats-auth.md](../nats-auth.md)), so that other clients cannot change its streams.
`],["HelveStreamReplicasMissing",`# HelveStreamReplicasMissing

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
`],["HelveStreamUnusable","# HelveStreamUnusable\n\n## Meaning\n\nA stream has no leader, is missing, or has settings that Helve cannot change back. The label may be STREAM/CONSUMER: then it is the consumer of a lane.\n\n## Effect\n\nWhat the stream stores cannot be written, or a promise about it would be broken. With `HELVE_CALLS`, `HELVE_RESULTS`, `HELVE_ONCE` or `HELVE_AUDIT` calls are refused. An unusable consumer delays the calls of its lane.\n\n## Confirm\n\n- `min by (stream) (helve_stream_usable) == 0` names the streams. All at once: follow [HelveNATSUnavailable](HelveNATSUnavailable.md).\n- `helve doctor --server URL` has the reason in the row `streams`; for streams that calls need `/readyz` has it too.\n\n## Fix\n\n1. `has no leader`, `has no quorum`, `does not answer`: start the NATS servers that have copies of the stream.\n2. `is missing`: Helve has made it again if nothing is lost by that. Else restore it from a backup (`nats stream restore`), or restart a dispatcher to begin with an empty one. For `HELVE_ONCE` restart only when no call runs or waits. For `KV_helve_programs` start one more dispatcher before you restart the others: those that ran before know which programs waited, and end their calls (`state of a program lost, program ended`); without them nobody does. [cluster.md](../cluster.md) lists what each stream holds.\n3. `was altered`: set back what the reason names (`nats stream edit STREAM`), or delete the stream and restart a dispatcher, which loses what it holds.\n"],["HelveStuckCalls",`# HelveStuckCalls

## Meaning

A tool still runs although its call was answered, with a timeout or a cancellation. The tool does not stop when its context ends.

## Effect

No call is lost. The tool holds memory and perhaps files or connections; the worker drains more slowly.

## Confirm

- \`helve_stuck_calls\` by instance names the worker.
- The log lines \`call finished\` with \`"error_type":"timeout"\` of that worker name the tool.
- \`/debug/pprof/goroutine?debug=2\` on the admin listener, with \`telemetry.pprof\`, shows where it waits.

## Fix

1. Repair the tool: it must return when \`ctx.Done()\` is closed.
2. Restart the worker when it is drained. Its other calls are delivered to other workers.
`],["HelveToolErrors",'# HelveToolErrors\n\n## Meaning\n\nMore than a fifth of the calls of a tool, and at least ten in five minutes, failed for a reason that is not the caller\'s: `execution_error`, `timeout`, `internal` or `network_error`.\n\n## Effect\n\nAgents get errors from this tool. Arguments that are wrong and decisions of the policy are not counted.\n\n## Confirm\n\n- Dashboard Tools, panel Errors by type, with the tool chosen.\n- The log lines `call finished` of the workers with `"tool"` and `"error_type"`: `message` is the message of the result, without the arguments (`helve calls --status error` shows it too), and `cause` has the reason behind it.\n- `Error` lines `tool panicked` have a stack.\n\n## Fix\n\n1. Repair the service that the tool calls, or its credentials in `services_file`.\n2. If the tool was changed lately, deploy the earlier version.\n3. Switch the tool\'s group off with `groups` until it works.\n'],["HelveUpstreamDown",`# HelveUpstreamDown

## Meaning

No worker of a process is connected to an MCP server of \`mcp_file\`.

## Effect

Its tools fail with \`tool_not_available\`.

## Confirm

- \`helve_upstream_restarts_total\` rises with each attempt.
- The log lines \`mcp server connection failed; retrying\` name the reason.
- \`helve upstream list\` lists the servers and their tools.

## Fix

1. Start the server, or correct its URL, command or credentials in \`mcp_file\`.
2. Workers connect again by themselves, after at most a minute.
`]]);function c(a){let e=[];for(let t of a.split(/\n{2,}/).map(o=>o.trim()).filter(Boolean))t.startsWith("# ")||(t.startsWith("## ")?e.push({kind:"title",text:t.slice(3)}):/^- /.test(t)?e.push({kind:"list",items:t.split(/^- /m).filter(Boolean).map(o=>o.trim())}):/^\d+\. /.test(t)?e.push({kind:"steps",items:t.split(/^\d+\. /m).filter(Boolean).map(o=>o.trim())}):e.push({kind:"text",text:t}));return e}function m(a){return a.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).filter(Boolean).map(e=>{if(e.startsWith("`"))return{text:e.slice(1,-1),code:!0};let[,t="",o=""]=/^\[([^\]]+)\]\(([^)]+)\)$/.exec(e)??[];if(!o)return{text:e};let s=/^(Helve[A-Za-z]+)\.md$/.exec(o)?.[1];return s?{text:t,page:s}:{text:t}})}function f({params:a}){let e=a.runbook??"",t=c(d.get(e)??"");return n(h,{title:e,children:[n("p",{children:n("a",{href:"/check",children:r().check.title})}),t.length===0?n(l,{title:r().check.noRunbook,children:r().check.noRunbookText}):n("article",{class:"stack",lang:"en",children:t.map((o,s)=>n(u,{of:o},s))})]})}function u({of:a}){switch(a.kind){case"title":return n("h2",{children:a.text});case"list":return n("ul",{children:a.items.map((e,t)=>n("li",{children:i(e)},t))});case"steps":return n("ol",{children:a.items.map((e,t)=>n("li",{children:i(e)},t))});case"text":return n("p",{children:i(a.text)})}}function i(a){return m(a).map((e,t)=>e.code?n("code",{children:e.text},t):e.page?n("a",{href:`/check/${e.page}`,children:e.text},t):e.text)}export{f as default};
