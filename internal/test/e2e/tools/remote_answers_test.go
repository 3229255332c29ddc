package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestRemoteAnswers: whatever a process answers, the call has one result, of the defined
// kinds.
func TestRemoteAnswers(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	p := shared.RemoteProcess(t, tenant, "p1")
	p.Register(d, system.LongTTL, system.ReadingTool("says", ""))
	var text atomic.Pointer[string]
	p.Answer("says", func(q system.RemoteCall) { q.Respond(t, *text.Load()) })
	big := fmt.Sprintf(`{"status": "success", "result": %q}`, strings.Repeat("x", 5<<20))
	for said, want := range map[string][2]string{
		`{"status": "success", "result": null}`:                                         {"", "null"},
		`{"status": "success", "result": [1e2], "more": {}}`:                            {"", "[1e2]"},
		`{"status": "error", "error_type": "not_configured", "message": "set CRM_KEY"}`: {"not_configured", "set CRM_KEY"},
		`{"status": "error", "error_type": "rate_limited"}`:                             {"rate_limited", ""},
		`{"status": "error", "error_type": "oops", "message": "m"}`:                     {"execution_error", "error_type"},
		`{"status": "error"}`:                                   {"execution_error", "error_type"},
		`{"status": "success"}`:                                 {"execution_error", "result"},
		`{"status": "pending", "result": 1}`:                    {"execution_error", "status"},
		`{"status": "success", "result": 1, "text": 5}`:         {"execution_error", "text"},
		`{"status": "success", "status": "error", "result": 1}`: {"execution_error", "JSON"},
		`{"status": "success", "result": 1} {}`:                 {"execution_error", "JSON"},
		"{\"status\": \"success\", \"result\": \"\xff\"}":       {"execution_error", "JSON"},
		`null`:  {"execution_error", "status"},
		`[]`:    {"execution_error", "object"},
		`hello`: {"execution_error", "JSON"},
		``:      {"execution_error", "JSON"},
		big:     {"execution_error", "at most 4194304"},
	} {
		text.Store(&said)
		switch e := system.UseTool(t, d, tenant, "says", `{}`); want[0] {
		case "":
			system.WantResult(t, e, want[1])
		default:
			system.WantError(t, e, want[0], want[1])
		}
	}
}

// TestRemoteAnswersTwice: a call has its first answer; a later one, or an answer to an
// ended call, affects no other call.
func TestRemoteAnswersTwice(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	p := shared.RemoteProcess(t, tenant, "p1")
	p.Register(d, system.LongTTL, system.ReadingTool("says", "")+","+system.ReadingTool("sleeps", ""))
	var before atomic.Pointer[system.RemoteCall]
	n := 0
	p.Answer("says", func(q system.RemoteCall) {
		n++
		q.Respond(t, fmt.Sprintf(`{"status": "success", "result": %d}`, n))
		q.Respond(t, `{"status": "success", "result": "again"}`)
		q.Respond(t, `garbage`)
		if late := before.Swap(&q); late != nil {
			late.Respond(t, `{"status": "success", "result": "late"}`)
		}
	})
	p.Answer("sleeps", func(q system.RemoteCall) { before.Store(&q) })
	for want := 1; want <= 5; want++ {
		system.WantResult(t, system.UseTool(t, d, tenant, "says", `{}`), fmt.Sprint(want))
	}
	e := system.RunsOut(t, d, tenant, `{"tool": "sleeps", "timeout_ms": %d}`)
	system.WantError(t, e, "timeout", "")
	system.WantResult(t, system.UseTool(t, d, tenant, "says", `{}`), "6")
	system.WantError(t, system.One(t, d, tenant, fmt.Sprintf(`{"call_id": %q, "tool": "sleeps", "timeout_ms": 3000}`, e.CallID)),
		"timeout", "")
}

// TestRemoteGate: a process receives only calls that have passed the gate, without the
// token and without fields outside the contract.
func TestRemoteGate(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	p := shared.RemoteProcess(t, tenant, "p1")
	p.Answer("sends", func(q system.RemoteCall) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(q.Raw), &fields); err != nil || len(fields) != 7 || strings.Contains(q.Raw, "token") {
			t.Errorf("the process was asked %s, want the seven fields of the contract", q.Raw)
		}
		q.Respond(t, `{"status": "success", "result": true}`)
	})
	p.Register(d, system.LongTTL, system.ActingTool("sends", `, "risk": "medium"`))
	system.WantError(t, system.One(t, d, tenant, `{"tool": "sends"}`), "confirmation_required", "")
	e := system.Park(t, d, tenant, `{"call_id": "c1", "tool": "sends"}`)
	if waiting := system.Consents(t, d, tenant, "pending"); len(waiting) != 1 || waiting[0].Tool != "sends" || waiting[0].Risk != "medium" {
		t.Errorf("a person is asked %+v", waiting)
	}
	if asked := p.Received(); len(asked) != 0 {
		t.Fatalf("the process was asked %v before anybody agreed", asked)
	}
	system.Grant(t, d, tenant, e.ConsentID)
	system.WantResult(t, system.Settled(t, d, tenant, "c1"), "true")
	system.WantResult(t, system.Execute(t, d, tenant, system.AsUser(30000, `{"call_id": "c1", "tool": "sends"}`)).Results[0], "true")
	if asked := p.Received(); len(asked) != 1 || asked[0].CallID != "c1" {
		t.Errorf("the process was asked %v, want c1 once", asked)
	}
	if got, want := fmt.Sprint(system.Phases(system.CallRecords(t, d, tenant, "c1"))),
		"[consent_requested consent_decided started finished]"; got != want {
		t.Errorf("the audit trail has %s, want %s", got, want)
	}
	// Always applies to this definition. Another definition of the same name is asked about
	// again.
	e = system.Park(t, d, tenant, `{"call_id": "c2", "tool": "sends"}`)
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "by": "u1", "remember": "always"}`); r.Status != 200 {
		t.Fatalf("grant = %d %s", r.Status, r.Body)
	}
	system.WantResult(t, system.Settled(t, d, tenant, "c2"), "true")
	system.WantResult(t, system.UseTool(t, d, tenant, "sends", `{}`), "true")
	p.Register(d, system.LongTTL, system.ActingTool("sends", `, "risk": "medium", "scopes": {"apps": ["*"]}`))
	system.Eventually(t, "the new definition is known", func() bool {
		return system.Execute(t, d, tenant, system.AsUser(30000, `{"tool": "sends"}`)).Results[0].State == "awaiting_consent"
	})
}

// TestRemoteProgress: messages of a process become events of its call, of the type
// progress, whatever they contain.
func TestRemoteProgress(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	events := shared.Listen(t, tenant)
	p := shared.RemoteProcess(t, tenant, "p1")
	p.Register(d, system.LongTTL, system.ReadingTool("works", ""))
	p.Answer("works", func(q system.RemoteCall) {
		subject := q.Msg.Header.Get("Helve-Events")
		for _, data := range []string{
			`{"done": 1, "type": "done", "call_id": "other"}`, `not JSON`, `"` + strings.Repeat("x", 20<<10) + `"`, "\"\xff\"", `[2]`,
		} {
			if err := p.Conn.Publish(subject, []byte(data)); err != nil {
				t.Error(err)
			}
		}
		q.Respond(t, `{"status": "success", "result": 1}`)
	})
	system.WantResult(t, system.UseTool(t, d, tenant, "works", `{}`), "1")
	if err := p.Conn.Publish(p.Received()[0].Msg.Header.Get("Helve-Events"), []byte(`"too late"`)); err != nil {
		t.Error(err)
	}
	system.WantResult(t, system.Execute(t, d, tenant, `{"calls": [{"call_id": "c2", "tool": "works"}]}`).Results[0], "1")
	events.Until("done", "c2")
	told := map[string][]string{}
	for _, e := range events.Heard {
		if e.Type == "progress" {
			told[e.CallID] = append(told[e.CallID], string(e.Data))
		}
	}
	if len(told) != 2 || told["other"] != nil {
		t.Errorf("progress was told of %v, want of the two calls", told)
	}
	for id, data := range told {
		if got, want := strings.Join(data, " "), `{"done":1,"type":"done","call_id":"other"} [2]`; got != want {
			t.Errorf("of %s was told %s, want %s", id, got, want)
		}
	}
}
