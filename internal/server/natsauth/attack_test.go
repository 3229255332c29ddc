package natsauth

// attack is something that must be refused.
type attack struct {
	subject string
	why     string
	body    string
	headers []string
}

const allowAll = `{"status": "granted", "by": "u1", "at": "2026-01-01T00:00:00Z", "remember": "always"}`

// writes lists subjects to which no front end may publish, whatever its role.
var writes = []attack{
	{
		subject: "helve.v1.acme.call.default.debug.guarded",
		why:     "it queues a call past the dispatcher",
		body:    `{"call_id": "x", "origin": "d", "tool": "debug.guarded"}`,
	},
	{subject: "helve.v1.acme.result.default.d-1.x1", why: "it forges a result"},
	{subject: "helve.v1.acme.answer.default.d-1.x1", why: "it forges an answer"},
	{subject: "helve.v1.acme.once.x1.accepted", why: "it takes somebody's call_id"},
	{subject: "helve.v1.acme.once.x1.fence", why: "it ends somebody's call"},
	{subject: "helve.v1.acme.once.x1.token", why: "it uses somebody's token up"},
	{subject: "helve.v1.acme.audit.helve.token", why: "it writes a record"},
	{subject: "helve.v1.acme.seal.1", why: "it seals"},
	{subject: "helve.v1.acme.parked.c-1.x1", why: "it parks a call of its own making"},
	{subject: "helve.v1.acme.verdict.x.c-1", why: "it decides", body: allowAll},
	{subject: "helve.v1.acme.consent.request.u1", why: "it asks a person in Helve's name"},
	{subject: "helve.v1.acme.consent.decision.u1", why: "it tells a decision nobody made"},
	{
		subject: "helve.v1.acme.timer.x", why: "it has the server publish for it", body: allowAll,
		headers: []string{"Nats-Schedule", "@at 2026-01-01T00:00:00Z", "Nats-Schedule-Target", "helve.v1.acme.verdict.x.c-1"},
	},
	{
		subject: "helve.v1.acme.schedule.default.u1.k3f9.1", why: "it has the server publish for it", body: allowAll,
		headers: []string{"Nats-Schedule", "@at 2026-01-01T00:00:00Z", "Nats-Schedule-Target", "helve.v1.acme.verdict.x.c-1"},
	},
	{subject: "helve.v1.acme.due.default.u1.k3f9", why: "it starts somebody's task"},
	{subject: "helve.v1.acme.arm.default.u1.k3f9", why: "it sets somebody's timer"},
	{subject: "helve.v1.acme.account.u1.google", why: "it gets somebody's account"},
	{subject: "helve.v1.acme.scheduled.default.u1.k3f9", why: "it ends somebody's run"},
	{subject: "helve.v1.acme.callback.c1.r1", why: "a dispatcher would send somebody's result where it says", body: allowAll},
	{subject: "helve.v1._.callback.crowded.acme", why: "a tenant's calls with a callback would be refused", body: allowAll},
	{subject: "helve.v1.acme.callback.c1.r1.d1.0", why: "a dispatcher would sign and send it", body: allowAll},
	{
		subject: "helve.v1.acme.files.default",
		why:     "it reads somebody's files",
		body:    `{"op": "file_get", "person": "u1", "file": {"path": "a"}}`,
	},
	{
		subject: "helve.v1.acme.files.default.w1",
		why:     "it reads somebody's files",
		body:    `{"op": "file_get", "person": "u1", "file": {"path": "a"}}`,
	},
	{subject: "helve.v1.acme.data.default", why: "it deletes somebody's data", body: `{"op": "delete", "person": "u1"}`},
	{subject: "$JS.API.STREAM.PURGE.HELVE_SCHEDULES", why: "it ends everybody's tasks"},
	{subject: "helve.v1.acme.fired.c-1", why: "it ends a request early"},
	{subject: "helve.v1.acme.event.t.x1", why: "it tells what did not happen"},
	{subject: "helve.v1.acme.awaits.d-1.x1", why: "it tells a dispatcher what did not happen"},
	{subject: "helve.v1.acme.cancel.x1", why: "it cancels without being asked who it is"},
	{subject: "helve.v1.acme.remote.crm.find", why: "it is a call that passed no gate"},
	{subject: "helve.v1.beta.progress.w-1.x", why: "it tells of another tenant's call"},
	{subject: "helve.v1.acme.progress.x", why: "nobody hears that, and it is no call's"},
	{subject: "_R_.x", why: "it answers what somebody else was asked"},
	{subject: "helve.v1.beta.cancel.x1", why: "it cancels another tenant's call"},
	{subject: "helve.v1.acme.probe.x1", why: "it asks workers"},
	{
		subject: "helve.v1.acme.direct.default.quick.debug.guarded",
		why:     "it hands a call to a worker past the dispatcher",
		body:    `{"call_id": "x", "origin": "d", "tool": "debug.guarded"}`,
	},
	{subject: "helve.v1.beta.replay.t", why: "it has another tenant's events told again"},
	{subject: "helve.v1.acme.dead.default", why: "it fills the dead letters"},
	{subject: "helve.v1.acme.as.ann.api.execute", why: "it acts as a person", body: `{"calls": []}`},
	{subject: "helve.v1.acme.as.ann.api.calls.get", why: "it reads as a person", body: `{"call_id": "x"}`},
	{subject: "helve.v1.beta.api.execute", why: "it acts in another tenant", body: `{"calls": []}`},
	{subject: "helve.v1.beta.api.audit.query", why: "it reads another tenant's records", body: `{}`},
	{subject: "$KV.helve_grants.acme.u1.tool.always.debug.guarded", why: "it grants itself a tool", body: `{"grant_id": "g"}`},
	{subject: "$KV.helve_keys.token.mine", why: "it could mint tokens"},
	{subject: "$KV.helve_services.acme.tenant.openai.default", why: "it sets an account"},
	{subject: "$KV.helve_agents.acme.a1", why: "it widens its own tool set"},
	{subject: "$KV.helve_catalog.debug.guarded", why: "it makes a tool harmless"},
	{subject: "$KV.helve_orders.pool.default", why: "it pauses workers", body: `{"action": "pause", "pool": "default"}`},
	{subject: "$KV.helve_leases.sealer", why: "it stops the sealing"},
	{subject: "$O.HELVE_RESULTS.M.eA==", why: "it empties the object store", headers: []string{"Nats-Rollup", "all"}},
	{subject: "$JS.API.INFO", why: "it is JetStream"},
	{subject: "$JS.API.STREAM.LIST", why: "it is JetStream"},
	{subject: "$JS.API.STREAM.PURGE.HELVE_AUDIT", why: "it erases the trail"},
	{subject: "$JS.API.STREAM.PURGE.HELVE_RESULTS", why: "it erases results, and the records that are not on the trail yet"},
	{subject: "helve.v1._.written", why: "it asks for another process's work"},
	{subject: "$JS.API.STREAM.DELETE.HELVE_AUDIT", why: "it erases the trail"},
	{subject: "$JS.API.STREAM.UPDATE.HELVE_AUDIT", why: "it shortens the trail", body: `{"name": "HELVE_AUDIT", "max_msgs": 1}`},
	{
		subject: "$JS.API.STREAM.CREATE.mine",
		why:     "it takes others' subjects into a stream",
		body:    `{"name": "mine", "subjects": ["helve.v1.beta.event.>"]}`,
	},
	{subject: "$JS.API.STREAM.MSG.DELETE.HELVE_CONSENT", why: "it takes a request out of an inbox", body: `{"seq": 1}`},
	{
		subject: "$JS.API.CONSUMER.CREATE.HELVE_RESULTS.x", why: "a push consumer delivers where it says",
		body: `{"stream_name": "HELVE_RESULTS", "config": {"name": "x", "deliver_subject": "_INBOX_user.user.x", "ack_policy": "none"}}`,
	},
	{subject: "$JS.API.CONSUMER.MSG.NEXT.HELVE_CALLS.default", why: "it takes calls off the queue", body: `{"batch": 9}`},
	{subject: "$JS.API.DIRECT.GET.HELVE_AUDIT", why: "it reads any tenant's records", body: `{"last_by_subj": "helve.v1.beta.audit.>"}`},
	{subject: "$JS.API.STREAM.MSG.GET.HELVE_PARKED", why: "it reads any tenant's calls", body: `{"seq": 1}`},
	{subject: "$JS.ACK.HELVE_CALLS.default.1.1.1.1.1", why: "it takes a call off the queue", body: "+ACK"},
	{subject: "$JS.FC.HELVE_CALLS.default.x", why: "it is JetStream"},
	{subject: "$SRV.PING", why: "its answer goes wherever the asker says"},
	{subject: "$SYS.REQ.SERVER.PING", why: "it is for the server's operator"},
	{subject: "_INBOX_dispatcher.dispatcher.x", why: "it forges an acknowledgement"},
	{subject: "_INBOX_user.user.x", why: "it answers in a dispatcher's place"},
	{subject: "_R_.x", why: "it answers in a dispatcher's place"},
}

// reads lists subjects to which no front end may subscribe.
var reads = []string{
	">", "*", "*.>", "helve.>", "helve.v1.>", "helve.v1.*.event.>", "helve.v1.acme.>", "helve.v1.acme.*.>", "helve.v1.acme.api.>",
	"helve.v1.acme.api.execute",
	"helve.v1.acme.call.>", "helve.v1.acme.direct.>", "helve.v1.acme.result.>", "helve.v1.acme.answer.>", "helve.v1.acme.once.>",
	"helve.v1.acme.parked.>", "helve.v1.acme.verdict.*", "helve.v1.beta.cancel.*",
	"helve.v1.acme.remote.>", "helve.v1.acme.remote.crm.find", "helve.v1.acme.progress.>", "helve.v1.beta.remote.>", "helve.v1.acme.probe.*",
	"helve.v1.beta.>", "helve.v1.beta.event.>", "helve.v1.beta.audit.>", "helve.v1.beta.consent.request.*",
	"_INBOX.>", "_INBOX_dispatcher.>", "_INBOX_worker.>", "_INBOX_agent.>", "_INBOX_agent.other.>", "_INBOX_agent.*.>",
	"_R_.>", "$SYS.>", "$SRV.>", "$JS.>", "$JS.API.>", "$KV.>", "$O.>",
}

// sometimes lists subjects to which some roles may subscribe.
var sometimes = map[string][]string{
	"helve.v1.acme.event.>":             {"agent", "user", "approver", "admin"},
	"helve.v1.acme.consent.request.*":   {"user", "approver"},
	"helve.v1.acme.consent.request.u1":  {"user", "approver"},
	"helve.v1.acme.consent.decision.*":  {"user", "approver"},
	"helve.v1.acme.cancel.*":            {"remote"},
	"helve.v1.acme.audit.>":             {"auditor"},
	"helve.v1.acme.audit.debug.guarded": {"auditor"},
}

// mayAsk is which roles may ask for what, written down a second time.
var mayAsk = map[string][]string{
	"execute": {"agent", "user", "approver", "admin"}, "tools.list": {"agent", "user", "approver", "admin"},
	"tools.get": {"agent", "user", "approver", "admin"}, "groups.list": {"agent", "user", "approver", "admin"},
	"calls.get": {"agent", "user", "approver", "admin"}, "calls.cancel": {"agent", "user", "approver", "admin"},
	"programs.list": {"agent", "user", "admin", "auditor"}, "programs.get": {"agent", "user", "approver", "admin"},
	"programs.retry": {"agent", "user", "approver", "admin"},
	"consent.list":   {"user", "approver", "admin", "auditor"}, "consent.get": {"user", "approver", "admin", "auditor"},
	"consent.decide": {"user", "approver"}, "tokens.mint": {"user", "approver"},
	"grants.list": {"user", "approver", "admin"}, "grants.revoke": {"user", "approver", "admin"},
	"push.key": {"user", "approver", "admin"}, "push.list": {"user", "approver", "admin"},
	"push.subscribe": {"user", "approver", "admin"}, "push.unsubscribe": {"user", "approver", "admin"},
	"audit.query": {"auditor", "admin"}, "audit.verify": {"auditor", "admin"}, "audit.export": {"auditor", "admin"},
	"audit.public_key": {"agent", "user", "approver", "admin", "auditor", "remote"},
	"agents.list":      {"admin", "auditor", "user"}, "agents.get": {"admin", "auditor", "user"},
	"agents.put": {"admin"}, "agents.delete": {"admin"},
	"remote.list": {"auditor", "admin"}, "remote.register": {"admin", "remote"}, "remote.unregister": {"admin", "remote"},
	"custom.list": {"user", "approver", "admin", "auditor"}, "custom.get": {"user", "approver", "admin", "auditor"},
	"custom.versions": {"user", "approver", "admin", "auditor"},
	"custom.share":    {"approver", "admin"}, "custom.unshare": {"user", "approver", "admin"},
	"custom.toggle": {"user", "admin"}, "custom.delete": {"user", "admin"},
	"services.list": {"user", "admin"}, "services.get": {"user", "admin"}, "services.set": {"user", "admin"},
	"services.delete": {"user", "admin"}, "services.test": {"user", "admin"}, "services.rotate": {"admin"},
	"upstream.list": {"admin"}, "upstream.accept": {"admin"},
	"files.list": {"user", "admin"}, "files.get": {"user", "admin"}, "files.put": {"user", "admin"}, "files.delete": {"user", "admin"},
	"data.summary": {"user", "admin"}, "data.export": {"user", "admin"}, "data.import": {"user", "admin"}, "data.delete": {"user", "admin"},
	"schedules.list": {"user", "admin", "auditor"}, "schedules.get": {"user", "admin", "auditor"}, "schedules.delete": {"user", "admin"},
	"workers.list": {"auditor", "admin"}, "workers.drain": {"admin"}, "workers.pause": {"admin"}, "workers.resume": {"admin"},
	"dead.list": {"auditor", "admin"}, "dead.get": {"auditor", "admin"}, "dead.requeue": {"admin"}, "dead.drop": {"admin"},
	"calls.list": {"user", "auditor", "admin"}, "system.check": {"auditor", "admin"},
	"system.counts": {"user", "approver", "admin", "auditor"},
	"pools.list":    {"auditor", "admin"}, "pools.drain": {"admin"}, "pools.pause": {"admin"}, "pools.resume": {"admin"},
	"me":              {"agent", "user", "approver", "admin", "auditor", "remote"},
	"metrics.history": {"auditor", "admin"}, "tools.stats": {"auditor", "admin"}, "policy.get": {"auditor", "admin"},
	"policy.explain": {"agent", "user", "approver", "auditor", "admin"},
	"events":         {}, "nonsense": {}, "*": {}, ">": {},
}
