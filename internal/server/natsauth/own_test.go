package natsauth

import (
	"encoding/json"
	"testing"

	"github.com/nats-io/nats.go"
)

// ownWrites lists subjects to which a role of Helve's own may not publish.
var ownWrites = map[Role][]attack{
	Worker: {
		{subject: "helve.v1.acme.api.consent.decide", why: "it is no front end", body: allowAll},
		{subject: "helve.v1.acme.api.execute", why: "it is no front end"},
		{subject: "helve.v1.acme.call.gpu.debug.echo", why: "only dispatchers queue calls of another pool"},
		{subject: "helve.v1.acme.call.gpu~3.debug.echo", why: "only dispatchers queue calls of another pool"},
		{subject: "helve.v1.acme.call.gpu~waiting.debug.echo", why: "only dispatchers queue calls of another pool"},
		{subject: "$KV.helve_workers.gpu.kind-0123456789abcdef", why: "it is the list of tools of another pool", body: "[]"},
		{subject: "helve.v1.acme.call.default~mine.debug.echo", why: "no worker would take the call"},
		{subject: "helve.v1.acme.direct.default.quick.debug.echo", why: "only dispatchers hand calls to workers"},
		{subject: "helve.v1.acme.once.x1.accepted", why: "only dispatchers accept"},
		{subject: "helve.v1.acme.once.x1.released", why: "only dispatchers take back what they accepted"},
		{subject: "helve.v1.acme.verdict.x.c-1", why: "it decides", body: allowAll},
		{subject: "helve.v1.acme.result.gpu.d-1.x1", why: "it is a call of another pool"},
		{subject: "helve.v1.acme.result.d-1.x1", why: "it names no pool"},
		{subject: "helve.v1.acme.answer.default.d-1.x1", why: "only the server publishes answers, when a result is stored"},
		{subject: "helve.v1.acme.answer.d-1.x1", why: "only the server publishes answers, when a result is stored"},
		{subject: "helve.v1.acme.consent.decision.u1", why: "it tells a decision"},
		{
			subject: "helve.v1.acme.timer.x", why: "it has the server publish for it", body: allowAll,
			headers: []string{"Nats-Schedule", "@at 2026-01-01T00:00:00Z", "Nats-Schedule-Target", "helve.v1.acme.verdict.x.c-1"},
		},
		{subject: "helve.v1.acme.fired.x", why: "it ends requests early"},
		{subject: "helve.v1.acme.seal.1", why: "it seals"},
		{subject: "helve.v1.acme.cancel.x", why: "only dispatchers cancel"},
		{subject: "helve.v1.acme.replay.t", why: "only dispatchers ask for events again"},
		{subject: "helve.v1.acme.dead.gpu", why: "it is of another pool"},
		{subject: "$KV.helve_keys.token.mine", why: "it could mint tokens"},
		{subject: "$KV.helve_grants.acme.u1.tool.always.x", why: "it grants"},
		{subject: "$KV.helve_services.acme.tenant.openai.default", why: "it sets an account"},
		{subject: "$KV.helve_push.devices.acme.u1", why: "it sends somebody's requests to a device of its own"},
		{subject: "$JS.API.DIRECT.GET.KV_helve_push.$KV.helve_push.vapid", why: "it reads the key pair of web push"},
		{subject: "$JS.API.CONSUMER.CREATE.KV_helve_push.mine.$KV.helve_push.>", why: "it reads people's devices"},
		{subject: "$JS.API.STREAM.MSG.GET.KV_helve_push", why: "it reads people's devices"},
		{subject: "helve.v1.acme.journal.p1", why: "it tells the code of a program what its steps returned", body: "{}"},
		{subject: "$KV.helve_programs.acme.p1", why: "it is another program"},
		{subject: "$JS.API.DIRECT.GET.KV_helve_programs.$KV.helve_programs.acme.p1", why: "it reads the key of a program"},
		{subject: "$JS.API.STREAM.MSG.GET.KV_helve_programs", why: "it reads the keys of programs"},
		{subject: "$JS.API.CONSUMER.CREATE.KV_helve_programs.mine.$KV.helve_programs.>", why: "it reads the keys of programs"},
		{subject: "$JS.API.CONSUMER.CREATE.HELVE_PROGRAMS.mine.helve.v1.*.journal.>", why: "it reads what programs see"},
		{subject: "$JS.API.STREAM.PURGE.HELVE_PROGRAMS", why: "it erases what programs have seen"},
		{subject: "$KV.helve_agents.acme.a1", why: "it widens tool sets"},
		{subject: "$KV.helve_leases.sealer", why: "it stops the sealing"},
		{subject: "$KV.helve_sealed.acme", why: "it forgets a seal"},
		{subject: "$O.HELVE_CALLS.M.eA==", why: "it changes arguments"},
		{subject: "$JS.API.INFO", why: "it needs no account's limits"},
		{subject: "$JS.API.STREAM.LIST", why: "it knows the streams it needs"},
		{subject: "$JS.API.STREAM.CREATE.mine", why: "it makes no stream"},
		{subject: "$JS.API.STREAM.UPDATE.HELVE_AUDIT", why: "it shortens the trail"},
		{subject: "$JS.API.STREAM.PURGE.HELVE_AUDIT", why: "it erases the trail"},
		{subject: "$JS.API.STREAM.PURGE.OBJ_HELVE_RESULTS", why: "it erases results"},
		{subject: "$JS.API.STREAM.PURGE.HELVE_RESULTS", why: "it erases results, and the records that are not on the trail yet"},
		{subject: "$JS.API.STREAM.DELETE.HELVE_RESULTS", why: "it erases results"},
		{subject: "helve.v1._.written", why: "only dispatchers write final records to the trail, and wait for that"},
		{subject: "$JS.API.STREAM.DELETE.HELVE_CALLS", why: "it erases the queue"},
		{subject: "$JS.API.STREAM.MSG.DELETE.HELVE_CONSENT", why: "it takes requests out of inboxes"},
		{subject: "$JS.API.STREAM.MSG.GET.HELVE_AUDIT", why: "it reads the trail"},
		{subject: "$JS.API.DIRECT.GET.HELVE_AUDIT", why: "it reads the trail"},
		{subject: "$JS.API.DIRECT.GET.HELVE_CALLS", why: "it reads the queue"},
		{subject: "$JS.API.CONSUMER.CREATE.HELVE_CALLS.default.helve.v1.>", why: "it takes calls of other pools"},
		{subject: "$JS.API.CONSUMER.CREATE.HELVE_CALLS.mine.helve.v1.*.call.default.>", why: "it makes a consumer beside its pool's"},
		{subject: "$JS.API.CONSUMER.CREATE.HELVE_AUDIT.mine", why: "it reads the trail"},
		{subject: "$JS.API.CONSUMER.CREATE.HELVE_PARKED.mine", why: "it reads what waits"},
		{subject: "$JS.API.CONSUMER.CREATE.KV_helve_keys.mine", why: "it names no filter"},
		{subject: "$JS.API.CONSUMER.DURABLE.CREATE.HELVE_CALLS.default", why: "it is the old form, without the filter"},
		{subject: "$JS.API.CONSUMER.DELETE.HELVE_CALLS.default", why: "it forgets what is delivered"},
		{subject: "$JS.API.CONSUMER.DELETE.HELVE_PARKED.helve_verdicts", why: "it stops the verdicts"},
		{subject: "$JS.API.CONSUMER.MSG.NEXT.HELVE_CALLS.gpu", why: "it takes calls of another pool"},
		{subject: "$JS.API.CONSUMER.MSG.NEXT.HELVE_CONSENT.helve_notices", why: "it takes notifications"},
		{subject: "$JS.API.CONSUMER.MSG.NEXT.HELVE_PARKED.helve_verdicts", why: "it takes verdicts"},
		{subject: "$JS.ACK.HELVE_CALLS.gpu.1.1.1.1.1", why: "it takes calls of another pool off the queue"},
		{subject: "$JS.ACK.HELVE_PARKED.helve_verdicts.1.1.1.1.1", why: "it drops verdicts"},
		{subject: "$SYS.REQ.SERVER.PING", why: "it is for the server's operator"},
		{subject: "_INBOX_user.user.x", why: "it answers front ends"},
		{subject: "_INBOX_dispatcher.dispatcher.x", why: "it forges what JetStream acknowledges to a dispatcher"},
		{subject: "_INBOX_worker.worker.x", why: "it forges what JetStream acknowledges to another worker"},
		{subject: "helve.v1.acme.relay.event.t.x1", why: "only workers in accounts of their own need a relay"},
		{subject: "helve.v1._.lane.default", why: "only workers in accounts of their own need a dispatcher for that"},
		{subject: "_R_.x", why: "it answers front ends"},
	},
	Dispatcher: {
		{subject: "helve.v1.acme.api.execute", why: "it answers, and asks nothing"},
		{subject: "helve.v1.acme.answer.default.d-1.x1", why: "only the server publishes answers, when a result is stored"},
		{subject: "helve.v1.acme.parked.c-1.x1", why: "only workers park"},
		{subject: "helve.v1.acme.once.x1.token", why: "only workers use tokens up"},
		{subject: "helve.v1.acme.fired.x", why: "only the server fires"},
		{subject: "$KV.helve_catalog.debug.guarded", why: "only workers register tools"},
		{subject: "$KV.helve_workers.default.w-1", why: "only workers announce themselves"},
		{subject: "$O.HELVE_RESULTS.M.eA==", why: "only workers store results"},
		{subject: "$JS.API.STREAM.PURGE.HELVE_AUDIT", why: "nobody erases the trail"},
		{subject: "$JS.API.STREAM.DELETE.HELVE_AUDIT", why: "nobody erases the trail"},
		{subject: "$JS.API.STREAM.DELETE.HELVE_RESULTS", why: "nobody deletes the results"},
		{subject: "$JS.API.STREAM.MSG.DELETE.HELVE_RESULTS", why: "nobody takes a result out"},
		{subject: "$JS.API.STREAM.MSG.DELETE.HELVE_AUDIT", why: "nobody erases the trail"},
		{subject: "$JS.API.STREAM.CREATE.mine", why: "it knows its streams"},
		{subject: "$JS.ACK.HELVE_CALLS.default.1.1.1.1.1", why: "it runs no calls"},
		{subject: "$SYS.REQ.SERVER.PING", why: "it is for the server's operator"},
	},
}

var ownReads = map[Role][]string{
	Worker: {
		">", "*", "helve.v1.>", "helve.v1.acme.>", "helve.v1.*.api.>", "helve.v1.*.call.>", "helve.v1.*.direct.>", "helve.v1.*.direct.default.>",
		"helve.v1.*.direct.gpu.>", "helve.v1.*.result.>", "helve.v1.*.answer.>", "helve.v1._.written", "helve.v1.*.event.>", "helve.v1.*.audit.>",
		"helve.v1.*.consent.>", "helve.v1.*.verdict.>", "helve.v1.*.key.>", "helve.v1._.key.token.*", "helve.v1.*.parked.>", "_INBOX.>",
		"_INBOX_worker.>", "_INBOX_worker.other.>", "_INBOX_dispatcher.>",
		"_R_.>", "$SYS.>", "$JS.>", "$JS.ACK.>", "$KV.>", "$O.>", "$SRV.>",
	},
	Dispatcher: {
		">", "helve.v1.>", "helve.v1.*.call.>", "helve.v1.*.direct.>", "_INBOX.>", "_INBOX_worker.>", "_R_.>", "$SYS.>", "$JS.>", "$KV.>", "$O.>",
	},
}

// TestWorkersOfAnotherPool: the credential of one pool reaches nothing of another.
func TestWorkersOfAnotherPool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pool, other string }{{"default", "gpu"}, {"gpu", "default"}} {
		c := shared.as(t, PoolWorker(tt.pool).Name)
		for _, subject := range []string{
			"helve.v1.acme.result." + tt.other + ".d-1.x1", "helve.v1.acme.dead." + tt.other, "$KV.helve_workers." + tt.other + ".w-1",
			"$JS.API.CONSUMER.CREATE.HELVE_CALLS." + tt.other + ".helve.v1.*.call." + tt.other + ".>",
			"$JS.API.CONSUMER.CREATE.HELVE_CALLS." + tt.pool + ".helve.v1.*.call." + tt.other + ".>",
			"$JS.API.CONSUMER.MSG.NEXT.HELVE_CALLS." + tt.other, "$JS.API.CONSUMER.MSG.NEXT.HELVE_CALLS." + tt.other + "~b0",
			"$JS.API.CONSUMER.CREATE.HELVE_CALLS." + tt.pool + "~0.helve.v1.*.call." + tt.pool + ".>",
			"helve.v1.acme.call." + tt.other + "~0.debug.echo",
			"$JS.ACK.HELVE_CALLS." + tt.other + ".1.1.1.1.1", "$JS.ACK.x.y.HELVE_CALLS." + tt.other + ".1.1.1.1.1.z",
		} {
			if !c.refusesPublish(t, msg(subject, "{}")) {
				t.Errorf("a worker of the pool %s may publish to %s", tt.pool, subject)
			}
		}
		if c.refusesPublish(t, msg("$KV.helve_workers."+tt.pool+".w-1", "{}")) {
			t.Errorf("a worker of the pool %s may not announce itself", tt.pool)
		}
		if c.refusesPublish(t, msg("helve.v1.acme.result."+tt.pool+".d-0.own"+tt.pool, "{}")) {
			t.Errorf("a worker of the pool %s may not store results of its own calls", tt.pool)
		}
	}
}

func TestOwnProcesses(t *testing.T) {
	t.Parallel()
	for role, attacks := range ownWrites {
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			c := shared.as(t, string(role))
			for _, a := range attacks {
				if !c.refusesPublish(t, msg(a.subject, a.body, a.headers...)) {
					t.Errorf("publishing to %s is permitted, but %s", a.subject, a.why)
				}
			}
			for _, subject := range ownReads[role] {
				if !c.refusesSubscribe(t, subject) {
					t.Errorf("listening to %s is permitted", subject)
				}
			}
		})
	}
}

// TestRollup: those who may publish to a stream cannot empty it so.
func TestRollup(t *testing.T) {
	t.Parallel()
	for role, subjects := range map[Role][]string{
		Worker: {
			"helve.v1.acme.result.default.d-0.roll", "helve.v1.acme.once.roll.fence", "helve.v1.acme.audit.roll", "helve.v1.acme.dead.default",
			"helve.v1.acme.parked.c-roll.roll", "helve.v1.acme.consent.request.roll",
		},
		Dispatcher: {
			"helve.v1.acme.call.nobody.roll", "helve.v1.acme.once.roll.accepted", "helve.v1.acme.audit.roll", "helve.v1.acme.seal.99",
			"helve.v1.acme.verdict.x.c-roll", "helve.v1.acme.consent.decision.roll",
		},
	} {
		c := shared.as(t, string(role))
		for _, subject := range subjects {
			for _, how := range []string{"all", "sub"} {
				answer, err := c.RequestMsg(msg(subject, "{}", "Nats-Rollup", how), patience())
				if err != nil {
					t.Fatalf("%s: %v, want an answer", subject, err)
				}
				if why := refusal(t, answer); why == "" {
					t.Errorf("the %s can roll up (%s) %s", role, how, subject)
				}
			}
		}
	}
}

// refusal is why JetStream refused, empty if it did not.
func refusal(t *testing.T, answer *nats.Msg) string {
	t.Helper()
	var ack struct {
		Error struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		t.Fatalf("%q: %v", answer.Data, err)
	}
	return ack.Error.Description
}
