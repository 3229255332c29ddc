package natsauth

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

// screen is the tool of a person's desktop.
func screen() *tool.Set {
	set := tool.NewSet("Screen", "screen")
	add := func(name string, risk tool.Risk) {
		tool.Add(set, tool.Spec[struct{}, string]{
			Name: name, Description: "Look at the screen; returns for whom.", Risk: risk, Pool: desktopPool, Timeout: time.Minute, Mutates: true,
			Run: func(_ context.Context, call *tool.Call, _ struct{}) (string, error) { return call.User, nil },
		})
	}
	add("look_at_screen", tool.Low)
	add("touch_screen", tool.Medium)
	tool.Add(set, tool.Spec[struct{}, string]{
		Name: "wait_at_screen", Description: "Wait at the screen until cancelled; returns nothing.", Risk: tool.Low, Pool: desktopPool,
		Timeout: time.Hour,
		Run: func(ctx context.Context, _ *tool.Call, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		},
	})
	return set
}

// TestDesktop: the worker on a person's desktop runs the calls of that person and of
// nobody else, with the credential that `helve nats-auth` makes for it.
func TestDesktop(t *testing.T) {
	t.Parallel()
	p, err := shared.spawnAs("desktop-acme-ann", Worker, func(cfg *config.Config) {
		cfg.Worker.Pools, cfg.Desktop.Tenant, cfg.Desktop.User = []string{desktopPool}, "acme", "ann"
	}, func(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func()) error {
		return worker.Program{Sets: []*tool.Set{screen()}}.Embed(ctx, cfg, kit, func(string) { ready() })
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.drain(); err != nil {
			t.Errorf("drain: %v", err)
		}
	})
	if err := p.ready(); err != nil {
		t.Fatal(err)
	}
	agent, user := shared.as(t, "acme.agent"), shared.as(t, "acme.user")
	call := func(person, id, tool string) map[string]any {
		return agent.call(t, "acme", `{"context": {"user": "`+person+`"}, "calls": [{"call_id": "`+id+`", "tool": "`+tool+`"}]}`)
	}
	if e := call("ann", "d-1", "look_at_screen"); e["result"] != "ann" {
		t.Errorf("ann's call = %v", e)
	}
	if e := call("bob", "d-2", "look_at_screen"); e["error_type"] != "tool_not_available" {
		t.Errorf("bob's call = %v, want no desktop for it", e)
	}
	// A running call is seen and cancelled, and cancellations of other tenants do not come here.
	heard := shared.as(t, "desktop-acme-ann").listen(t, "helve.v1.*.cancel.*")
	events := agent.listen(t, "helve.v1.acme.event.*.d-4")
	agent.call(t, "acme", `{"context": {"user": "ann"}, "wait_ms": 0, "calls": [{"call_id": "d-4", "tool": "wait_at_screen"}]}`)
	for told := ""; !strings.Contains(told, `"type":"started"`); {
		told = string(next(t, events).Data)
	}
	agent.runs(t, "acme", "d-4")
	shared.as(t, "beta.agent").call(t, "beta",
		`{"wait_ms": 0, "calls": [{"call_id": "d-5", "tool": "debug.sleep", "arguments": {"ms": 600000}}]}`)
	shared.as(t, "beta.agent").api(t, "beta", "calls.cancel", `{"call_id": "d-5"}`)
	agent.api(t, "acme", "calls.cancel", `{"call_id": "d-4"}`)
	if e := agent.settled(t, "acme", "d-4"); e["status"] != "error" {
		t.Errorf("the cancelled call = %v", e)
	}
	for m := next(t, heard); !strings.HasSuffix(m.Subject, ".d-4"); m = next(t, heard) {
		if !strings.HasPrefix(m.Subject, "helve.v1.acme.") {
			t.Errorf("it hears of %s", m.Subject)
		}
	}
	e := call("ann", "d-3", "touch_screen")
	id, _ := e["consent_id"].(string)
	if id == "" {
		t.Fatalf("a call of high risk = %v, want it to wait", e)
	}
	user.api(t, "acme", "consent.decide", `{"consent_id": "`+id+`", "decision": "grant", "by": "ann"}`)
	if e := agent.settled(t, "acme", "d-3"); e["result"] != "ann" {
		t.Errorf("the granted call = %v", e)
	}
}

const annsPool = "desktop=acme=ann"

// TestStolenDesktop: with the credential of a person's desktop one reaches no queue, no
// result and no stream of others.
func TestStolenDesktop(t *testing.T) {
	t.Parallel()
	thief := shared.as(t, "desktop-acme-ann")
	for _, js := range []string{"$JS.API.", "HELVE.JS.API."} {
		for _, rest := range []string{
			"CONSUMER.MSG.NEXT.HELVE_CALLS.default", "CONSUMER.MSG.NEXT.HELVE_CALLS.desktop", "CONSUMER.MSG.NEXT.HELVE_CALLS.desktop=acme=bob",
			"CONSUMER.MSG.NEXT.HELVE_CALLS.desktop=acme=bob~0",
			"CONSUMER.CREATE.HELVE_CALLS." + annsPool + ".helve.v1.*.call." + annsPool + ".>",
			"CONSUMER.CREATE.HELVE_CALLS." + annsPool + ".helve.v1.>",
			"CONSUMER.CREATE.HELVE_CALLS.mine", "CONSUMER.DURABLE.CREATE.HELVE_CALLS.mine",
			"CONSUMER.CREATE.KV_helve_agents.mine.$KV.helve_agents.>", "CONSUMER.DELETE.HELVE_CALLS." + annsPool,
			"CONSUMER.INFO.HELVE_CALLS.desktop=acme=bob",
			"DIRECT.GET.HELVE_RESULTS", "DIRECT.GET.HELVE_RESULTS.helve.v1.acme.result.default.d-1.x", "DIRECT.GET.HELVE_CALLS",
			"DIRECT.GET.HELVE_PARKED", "DIRECT.GET.HELVE_AUDIT", "DIRECT.GET.HELVE_ONCE",
			"DIRECT.GET.OBJ_HELVE_CALLS", "DIRECT.GET.OBJ_HELVE_RESULTS", "DIRECT.GET.KV_helve_grants",
			"DIRECT.GET.KV_helve_grants.$KV.helve_grants.acme.bob.x",
			"DIRECT.GET.KV_helve_asks", "DIRECT.GET.KV_helve_services", "CONSUMER.CREATE.KV_helve_services.mine.$KV.helve_services.>",
			"STREAM.MSG.GET.HELVE_RESULTS", "STREAM.MSG.GET.HELVE_CALLS", "STREAM.DELETE.HELVE_CALLS", "STREAM.PURGE.HELVE_CALLS",
			"STREAM.UPDATE.HELVE_AUDIT", "STREAM.CREATE.mine", "STREAM.LIST", "INFO",
		} {
			if !thief.refusesPublish(t, msg(js+rest, "{}")) {
				t.Errorf("it may publish to %s%s", js, rest)
			}
		}
	}
	for _, subject := range []string{
		"helve.v1.acme.result.default.d-1.x", "helve.v1.acme.result.desktop.d-1.x", "helve.v1.acme.result.desktop=acme=bob.d-1.x",
		"helve.v1.beta." + "result." + annsPool + ".d-1.x",
		"helve.v1.acme.call.default.look", "helve.v1.acme.call.desktop.look", "helve.v1.acme.call.desktop=acme=bob.look",
		"helve.v1.beta.call." + annsPool + ".look",
		"helve.v1.acme.find.default.x", "helve.v1.acme.find.desktop=acme=bob.x", "helve.v1.beta.look.once.x.fence", "helve.v1._.lane.default",
		"helve.v1._.lane.desktop=acme=bob",
		"helve.v1.acme.consent.request.bob", "helve.v1.acme.consent.decision.ann", "helve.v1.acme.verdict.x.c", "helve.v1.acme.cancel.x",
		"helve.v1.acme.api.execute",
		"helve.v1.acme.as.bob.api.execute", "helve.v1.acme.answer." + annsPool + ".d-1.x", "helve.v1.acme.fired.x", "helve.v1.acme.timer.x",
		"helve.v1.beta.event.t.x", "helve.v1.beta.audit.x", "helve.v1.acme.relay.event.t.x", "helve.v1.acme.remote.crm.find",
		"$KV.helve_workers.desktop.w-1", "$KV.helve_workers.default.w-1", "$KV.helve_workers.desktop=acme=bob.w-1",
		"$KV.helve_affinity.default.acme.bob", "$KV.helve_catalog.delete_file",
		"$KV.helve_agents.acme.a1", "$KV.helve_services.acme.tenant.openai.default", "$KV.helve_keys.token.x", "$KV.helve_grants.acme.ann.x",
		"$KV.helve_custom.acme.x", "$KV.helve_asks.acme.bob.x", "$O.HELVE_CALLS.M.eA==",
		"$JS.ACK.HELVE_CALLS.default.1.1.1.1.1", "$JS.ACK.x.y.HELVE_CALLS.desktop=acme=bob.1.1.1.1.1.z", "_INBOX_dispatcher.dispatcher.x",
		"_INBOX_worker.worker.x", "_INBOX_apart.desktop-acme-bob.x", "_R_.x", "$SYS.REQ.SERVER.PING",
	} {
		if !thief.refusesPublish(t, msg(subject, "{}")) {
			t.Errorf("it may publish to %s", subject)
		}
	}
	for _, subject := range []string{
		">", "helve.v1.>", "helve.v1.acme.>", "helve.v1.*.event.>", "helve.v1.acme.answer.>", "helve.v1.acme.call.>", "helve.v1.acme.event.>",
		"helve.v1.acme.audit.>", "helve.v1.acme.consent.>", "_INBOX_apart.>", "_INBOX_apart.desktop-acme-bob.>", "_INBOX_dispatcher.>", "_R_.>",
		"$JS.>", "$KV.>", "$SYS.>",
	} {
		if !thief.refusesSubscribe(t, subject) {
			t.Errorf("it may listen to %s", subject)
		}
	}
}

// TestNothingLeadsOutOfAnAccountApart: what JetStream answers a worker in an account of
// its own comes to no subject of HELVE, whatever the request names. The same attacks
// succeed with the credential of another worker (TestWhatRemains).
func TestNothingLeadsOutOfAnAccountApart(t *testing.T) {
	t.Parallel()
	thief, own := shared.as(t, "desktop-acme-bob"), shared.as(t, string(Dispatcher))
	const pool = "desktop=acme=bob"
	place := "$KV.helve_workers." + pool + ".forged"
	targets := map[string]string{ // the stream in which a message to the subject would be stored
		"$KV.helve_agents.beta.apart": "KV_helve_agents", "$KV.helve_keys.token.apart": "KV_helve_keys",
		"helve.v1.beta.result.gpu.d-0.apart": "HELVE_RESULTS", "helve.v1.acme.once.apart.accepted": "HELVE_ONCE",
		"helve.v1.acme.verdict.x.apart": "HELVE_PARKED",
	}
	answered := func(ask *nats.Msg) *nats.Msg {
		t.Helper()
		m, err := thief.RequestMsg(ask, patience())
		if err != nil {
			t.Fatalf("%s: %v", ask.Subject, err)
		}
		return m
	}
	// The thief's message is stored, and it can read it: so much it may.
	answered(msg(place, `{"stolen": true}`))
	read := func() *nats.Msg {
		return msg("HELVE.JS.API.DIRECT.GET.KV_helve_workers."+place, "")
	}
	if m := answered(read()); string(m.Data) != `{"stolen": true}` {
		t.Fatalf("the message reads %q", m.Data)
	}
	body, err := json.Marshal(map[string]any{
		"stream_name": "HELVE_RESULTS",
		"config":      map[string]string{"durable_name": "stolen", "deliver_subject": "_INBOX_apart.desktop-acme-bob.x", "ack_policy": "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	create := "$KV.helve_workers." + pool + ".create"
	answered(msg(create, string(body)))
	targets["$JS.API.CONSUMER.DURABLE.CREATE.HELVE_RESULTS.stolen"] = ""
	for target, stream := range targets {
		asks := []*nats.Msg{
			read(), msg("HELVE.JS.API.DIRECT.GET.KV_helve_workers."+create, ""), msg(place, `{"again": true}`),
			msg("HELVE.JS.API.STREAM.INFO.KV_helve_workers", ""),
			msg("HELVE.JS.API.DIRECT.GET.KV_helve_workers", `{"seq": 1, "batch": 9, "next_by_subj": "`+place+`"}`),
		}
		for _, ask := range asks {
			ask.Reply = target
			if err := thief.PublishMsg(ask); err != nil {
				t.Fatal(err)
			}
			again := *ask // whose answer comes after that of the first
			answered(&again)
		}
		if stream != "" && own.stored(t, stream, target) != nil {
			t.Errorf("the server has stored a message under %s for the thief", target)
		}
	}
	info, err := own.Request("$JS.API.CONSUMER.INFO.HELVE_RESULTS.stolen", nil, patience())
	if err != nil || refusal(t, info) == "" {
		t.Errorf("the server has made a consumer for the thief: %v, %s", err, info.Data)
	}
}
