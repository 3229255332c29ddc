package natsauth

import (
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/identity/token"
)

// deputy makes the NATS server publish a message for a credential: it stores the
// message where the credential may, and requests it with a reply subject of its choice.
// JetStream checks that subject against no permissions.
func (c caller) deputy(t *testing.T, name, subject, body string) {
	t.Helper()
	place := "helve.v1.beta.result.default.d-0." + name
	if _, err := c.Request(place, []byte(body), patience()); err != nil {
		t.Fatal(err)
	}
	ask := msg("$JS.API.DIRECT.GET.HELVE_RESULTS", `{"last_by_subj": "`+place+`"}`)
	ask.Reply = subject
	if c.refusesPublish(t, ask) {
		t.Fatal("a worker cannot look for results")
	}
}

// waiting is a call of the tenant acme that waits for its person, and its consent.
func waiting(t *testing.T, callID, user string) (consentID string) {
	t.Helper()
	e := shared.as(t, "acme.agent").call(t, "acme",
		`{"context": {"user": "`+user+`"}, "calls": [{"call_id": "`+callID+`", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`)
	id, _ := e["consent_id"].(string)
	if id == "" {
		t.Fatalf("execute = %v, want it to wait for a person", e)
	}
	return id
}

// forgedKey returns a note that a key signs which no dispatcher has.
func forgedKey(t *testing.T, purpose, body string) (public ed25519.PublicKey, note string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	if note, err = token.NewSigner(private).Note(purpose, []byte(body)); err != nil {
		t.Fatal(err)
	}
	return public, note
}

// TestStolenWorkerForgesVerdict: with the credential of a worker one can make the
// server store a verdict and a public key. Neither is accepted, and the person's own
// answer is.
func TestStolenWorkerForgesVerdict(t *testing.T) {
	t.Parallel()
	thief, own := shared.as(t, string(Worker)), shared.as(t, string(Dispatcher))
	id := waiting(t, "t1", "u-t1")
	claims := `{"tenant": "acme", "consent_id": "` + id + `", "call_id": "t1", "user": "u-t1", "for_tool": true,
		"verdict": {"status": "granted", "by": "u-t1", "at": "2026-01-01T00:00:00Z", "remember": "always"}}`
	public, note := forgedKey(t, "helve verdict v1", claims)
	value, err := json.Marshal(map[string]any{"key": public, "seen": time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	keyID := token.KeyID(public)
	for name, tt := range map[string]struct{ stream, subject, body string }{
		"key":      {"KV_helve_keys", "$KV.helve_keys.token." + keyID, string(value)},
		"signed":   {"HELVE_PARKED", "helve.v1.acme.verdict.forged1." + id, note},
		"unsigned": {"HELVE_PARKED", "helve.v1.acme.verdict.forged2." + id, allowAll},
	} {
		thief.deputy(t, "forge-"+name, tt.subject, tt.body)
		until(t, "the server has published the "+name+" for the worker", func() bool { return own.stored(t, tt.stream, tt.subject) != nil })
	}
	until(t, "the forged verdict is refused", func() bool {
		return strings.Contains(shared.logs.String(), "verdict refused: no trusted key signed it")
	})
	user := shared.as(t, "acme.user")
	if got := user.api(t, "acme", "consent.get", `{"consent_id": "`+id+`"}`); got["status"] != "pending" {
		t.Fatalf("the consent is %v, want it pending", got["status"])
	}
	if got := user.api(t, "acme", "grants.list", `{"user": "u-t1"}`); len(got["grants"].([]any)) > 0 {
		t.Errorf("grants = %v, want none", got)
	}
	user.api(t, "acme", "consent.decide", `{"consent_id": "`+id+`", "decision": "grant", "by": "u-t1"}`)
	if e := user.settled(t, "acme", "t1"); e["status"] != "success" {
		t.Errorf("the call that the person granted = %v, want success", e)
	}
}

// TestStolenWorkerIsNoCaller: a message that the server was made to publish is no
// request of a caller, whatever it says.
func TestStolenWorkerIsNoCaller(t *testing.T) {
	t.Parallel()
	thief, user := shared.as(t, string(Worker)), shared.as(t, "acme.user")
	id := waiting(t, "t2", "u-t2")
	thief.deputy(t, "decide", "helve.v1.acme.api.consent.decide", `{"consent_id": "`+id+`", "decision": "grant", "by": "u-t2"}`)
	until(t, "the request is refused", func() bool {
		return strings.Contains(shared.logs.String(), "request refused: it has no reply subject of a caller")
	})
	if got := user.api(t, "acme", "consent.get", `{"consent_id": "`+id+`"}`); got["status"] != "pending" {
		t.Errorf("the consent is %v, want it pending", got["status"])
	}
}

// TestStolenWorkerForgesToken: a key that lies in the bucket mints nothing.
func TestStolenWorkerForgesToken(t *testing.T) {
	t.Parallel()
	thief := shared.as(t, string(Worker))
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(map[string]any{"key": public, "seen": time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	thief.deputy(t, "mint", "$KV.helve_keys.token."+token.KeyID(public), string(value))
	trace := strings.Repeat("7", 32)
	text, err := token.NewSigner(private).Mint(token.Claims{
		ID: "forged", Tenant: "acme", User: "u-t3", TraceID: trace, Tools: []string{"debug.guarded"}, IssuedAt: time.Now(),
		Expires: time.Now().Add(time.Hour), By: "u-t3",
	})
	if err != nil {
		t.Fatal(err)
	}
	e := shared.as(t, "acme.agent").call(t, "acme", `{"context": {"user": "u-t3"}, "trace_id": "`+trace+
		`", "calls": [{"call_id": "t3", "tool": "debug.guarded", "confirm_token": "`+text+`", "arguments": {"key": "k"}}]}`)
	if e["error_type"] != "confirmation_required" && e["error_type"] != "permission_denied" && e["error_type"] != "policy_denied" {
		t.Errorf("a call with a forged token = %v, want it refused", e)
	}
}

// TestStolenWorkerForgesGrant: a grant that no dispatcher signed lets nothing run.
func TestStolenWorkerForgesGrant(t *testing.T) {
	t.Parallel()
	thief, own := shared.as(t, string(Worker)), shared.as(t, string(Dispatcher))
	const place = "$KV.helve_grants.acme.u-t5.tool.always.debug.guarded"
	thief.deputy(t, "grant", place,
		`{"grant_id": "g", "tenant": "acme", "user": "u-t5", "tool": "debug.guarded", "by": "u-t5", "granted_at": "2026-01-01T00:00:00Z"}`)
	until(t, "the server has published for the worker", func() bool { return own.stored(t, "KV_helve_grants", place) != nil })
	waiting(t, "t5", "u-t5") // fails if the call runs
}

// TestStolenWorkerForgesResult: what a worker stores as a result of a call of another
// pool is answered to nobody.
func TestStolenWorkerForgesResult(t *testing.T) {
	t.Parallel()
	agent, thief := shared.as(t, "acme.agent"), shared.as(t, PoolWorker("gpu").Name)
	agent.call(t, "acme", `{"wait_ms": 0, "calls": [{"call_id": "t4", "tool": "debug.sleep", "arguments": {"ms": 600000}}]}`)
	answer, err := thief.Request("helve.v1.acme.result.gpu.d-0.t4",
		[]byte(`{"call_id": "t4", "tool": "debug.sleep", "status": "success", "state": "done", "result": "forged"}`), patience())
	if err != nil || refusal(t, answer) != "" {
		t.Fatalf("the forged result is not stored: %v, %v", answer, err)
	}
	if got := agent.api(t, "acme", "calls.get", `{"call_id": "t4"}`); got["state"] == "done" || got["result"] != nil {
		t.Errorf("calls.get = %v, want the call running", got)
	}
	agent.api(t, "acme", "calls.cancel", `{"call_id": "t4"}`)
	if e := agent.settled(t, "acme", "t4"); e["error_type"] != "cancelled" {
		t.Errorf("the cancelled call = %v, want its own outcome", e)
	}
}

// TestStolenWorkerForgesAnswer: a worker may not publish answers, and what it has the
// server publish there is answered to nobody.
func TestStolenWorkerForgesAnswer(t *testing.T) {
	t.Parallel()
	agent, waits, thief, own := shared.as(t, "acme.agent"), shared.as(t, "acme.agent"), shared.as(t, PoolWorker("gpu").Name), shared.as(t,
		string(Dispatcher))
	answers, answered := own.listen(t, "helve.v1.acme.answer.*.*.t6"), make(chan map[string]any, 1)
	go func() {
		answered <- waits.call(t, "acme", `{"wait_ms": 25000, "calls": [{"call_id": "t6", "tool": "debug.sleep", "arguments": {"ms": 600000}}]}`)
	}()
	var accepted struct{ Origin string }
	until(t, "the call is accepted", func() bool {
		rec := own.stored(t, "HELVE_ONCE", "helve.v1.acme.once.t6.accepted")
		return rec != nil && json.Unmarshal(rec.Data, &accepted) == nil
	})
	place, answer := "helve.v1.acme.result.gpu."+accepted.Origin+".t6", "helve.v1.acme.answer.default."+accepted.Origin+".t6"
	forged := `{"call_id": "t6", "tool": "debug.sleep", "status": "success", "state": "done", "result": "forged"}`
	if !thief.refusesPublish(t, msg(answer, forged)) {
		t.Error("a worker may publish an answer")
	}
	if _, err := thief.RequestMsg(msg(place, forged, "Nats-Subject", "helve.v1.acme.result.default."+accepted.Origin+".t6"),
		patience()); err != nil {
		t.Fatal(err)
	}
	ask := msg("$JS.API.DIRECT.GET.HELVE_RESULTS", `{"last_by_subj": "`+place+`"}`)
	ask.Reply = answer
	if err := thief.PublishMsg(ask); err != nil {
		t.Fatal(err)
	}
	got := next(t, answers)
	for got.Subject != answer { // what the server published in the worker's place
		got = next(t, answers)
	}
	agent.api(t, "acme", "calls.cancel", `{"call_id": "t6"}`)
	if e := <-answered; e["error_type"] != "cancelled" {
		t.Errorf("the caller was answered %v, want the call's own outcome", e)
	}
}

// TestStolenWorkerCancels: a cancellation that the server was made to publish stops no
// call.
func TestStolenWorkerCancels(t *testing.T) {
	t.Parallel()
	agent, thief, remote := shared.as(t, "acme.agent"), shared.as(t, string(Worker)), shared.as(t, "acme.remote")
	heard, events := remote.listen(t, "helve.v1.acme.cancel.*"), agent.listen(t, "helve.v1.acme.event.*.t7")
	agent.call(t, "acme", `{"wait_ms": 0, "calls": [{"call_id": "t7", "tool": "debug.sleep", "arguments": {"ms": 600000}}]}`)
	for told := ""; !strings.Contains(told, `"type":"started"`); {
		told = string(next(t, events).Data)
	}
	thief.deputy(t, "cancel", "helve.v1.acme.cancel.t7", "")
	for published := ""; published != "helve.v1.acme.cancel.t7"; { // by the server, in the worker's place
		published = next(t, heard).Subject
	}
	if e := agent.call(t, "acme",
		`{"calls": [{"call_id": "t7b", "tool": "debug.echo", "arguments": {"value": 1}}]}`); e["status"] != "success" {
		t.Errorf("a call after it = %v", e)
	}
	agent.runs(t, "acme", "t7")
	agent.api(t, "acme", "calls.cancel", `{"call_id": "t7"}`)
	if e := agent.settled(t, "acme", "t7"); e["error_type"] != "cancelled" {
		t.Errorf("the cancelled call = %v", e)
	}
}

// TestWhatRemains keeps docs/nats-auth.md honest: JetStream answers a worker's
// request on any subject of the account that the request names, so a worker's
// credential can still store unsigned things, a result of another pool among them, and
// reach what JetStream does for the account. Workers in accounts of their own cannot.
// Should this fail, the server has learned to refuse it, and the page can say so.
func TestWhatRemains(t *testing.T) {
	t.Parallel()
	thief, own := shared.as(t, string(Worker)), shared.as(t, string(Dispatcher))
	for name, tt := range map[string]struct{ stream, subject string }{
		"agent":  {"KV_helve_agents", "$KV.helve_agents.beta.remains"},
		"result": {"HELVE_RESULTS", "helve.v1.beta.result.gpu.d-0.remains"},
	} {
		thief.deputy(t, "remains-"+name, tt.subject, `{}`)
		until(t, "the server has published for the worker", func() bool { return own.stored(t, tt.stream, tt.subject) != nil })
	}
	// It may make no consumer, but can have the server request one.
	thief.deputy(t, "remains-consumer", "$JS.API.CONSUMER.DURABLE.CREATE.HELVE_DECISIONS.remains",
		`{"stream_name": "HELVE_DECISIONS", "config": {"durable_name": "remains", "ack_policy": "none"}}`)
	until(t, "the server has made a consumer for the worker", func() bool {
		info, err := own.Request("$JS.API.CONSUMER.INFO.HELVE_DECISIONS.remains", nil, patience())
		return err == nil && refusal(t, info) == ""
	})
}
