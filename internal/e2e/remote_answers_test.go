package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// TestRemoteAnswers: whatever a process says, the call has one result, of the closed set.
func TestRemoteAnswers(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	p := shared.outside(t, tenant, "p1")
	p.register(d, long, reads("says", ""))
	var text atomic.Pointer[string]
	p.answer("says", func(q question) { q.say(t, *text.Load()) })
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
		switch e := use(t, d, tenant, "says", `{}`); want[0] {
		case "":
			wantResult(t, e, want[1])
		default:
			wantError(t, e, want[0], want[1])
		}
	}
}

// TestRemoteAnswersTwice: a call has its first answer, and what comes after it, or for a
// call that is over, harms no other.
func TestRemoteAnswersTwice(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	p := shared.outside(t, tenant, "p1")
	p.register(d, long, reads("says", "")+","+reads("sleeps", ""))
	var before atomic.Pointer[question]
	n := 0
	p.answer("says", func(q question) {
		n++
		q.say(t, fmt.Sprintf(`{"status": "success", "result": %d}`, n))
		q.say(t, `{"status": "success", "result": "again"}`)
		q.say(t, `garbage`)
		if late := before.Swap(&q); late != nil {
			late.say(t, `{"status": "success", "result": "late"}`)
		}
	})
	p.answer("sleeps", func(q question) { before.Store(&q) })
	for want := 1; want <= 5; want++ {
		wantResult(t, use(t, d, tenant, "says", `{}`), fmt.Sprint(want))
	}
	e := runsOut(t, d, tenant, `{"tool": "sleeps", "timeout_ms": %d}`)
	wantError(t, e, "timeout", "")
	wantResult(t, use(t, d, tenant, "says", `{}`), "6")
	wantError(t, one(t, d, tenant, fmt.Sprintf(`{"call_id": %q, "tool": "sleeps", "timeout_ms": 3000}`, e.CallID)), "timeout", "")
}

// TestRemoteGate: a process is asked only what has passed the gate, and is told neither
// the token nor anything else that is not in the contract.
func TestRemoteGate(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	p := shared.outside(t, tenant, "p1")
	p.answer("sends", func(q question) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(q.raw), &fields); err != nil || len(fields) != 7 || strings.Contains(q.raw, "token") {
			t.Errorf("the process was asked %s, want the seven fields of the contract", q.raw)
		}
		q.say(t, `{"status": "success", "result": true}`)
	})
	p.register(d, long, acts("sends", `, "risk": "medium"`))
	wantError(t, one(t, d, tenant, `{"tool": "sends"}`), "confirmation_required", "")
	e := park(t, d, tenant, `{"call_id": "c1", "tool": "sends"}`)
	if waiting := consents(t, d, tenant, "pending"); len(waiting) != 1 || waiting[0].Tool != "sends" || waiting[0].Risk != "medium" {
		t.Errorf("a person is asked %+v", waiting)
	}
	if asked := p.heard(); len(asked) != 0 {
		t.Fatalf("the process was asked %v before anybody agreed", asked)
	}
	grant(t, d, tenant, e.ConsentID)
	wantResult(t, settled(t, d, tenant, "c1"), "true")
	wantResult(t, execute(t, d, tenant, asUser(30000, `{"call_id": "c1", "tool": "sends"}`)).Results[0], "true")
	if asked := p.heard(); len(asked) != 1 || asked[0].CallID != "c1" {
		t.Errorf("the process was asked %v, want c1 once", asked)
	}
	if got, want := fmt.Sprint(phases(story(t, d, tenant, "c1"))), "[consent_requested consent_decided started finished]"; got != want {
		t.Errorf("the audit trail has %s, want %s", got, want)
	}
	// Always is for this definition. Another one that has its name is asked about anew.
	e = park(t, d, tenant, `{"call_id": "c2", "tool": "sends"}`)
	if r := decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "by": "u1", "remember": "always"}`); r.status != 200 {
		t.Fatalf("grant = %d %s", r.status, r.body)
	}
	wantResult(t, settled(t, d, tenant, "c2"), "true")
	wantResult(t, use(t, d, tenant, "sends", `{}`), "true")
	p.register(d, long, acts("sends", `, "risk": "medium", "scopes": {"apps": ["*"]}`))
	eventually(t, "the new definition is known", func() bool {
		return execute(t, d, tenant, asUser(30000, `{"tool": "sends"}`)).Results[0].State == "awaiting_consent"
	})
}

// TestRemoteProgress: what a process tells becomes events of its call, of the type
// progress, whatever it says.
func TestRemoteProgress(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	events := shared.listen(t, tenant)
	p := shared.outside(t, tenant, "p1")
	p.register(d, long, reads("works", ""))
	p.answer("works", func(q question) {
		subject := q.msg.Header.Get("Helve-Events")
		for _, data := range []string{`{"done": 1, "type": "done", "call_id": "other"}`, `not JSON`, `"` + strings.Repeat("x", 20<<10) + `"`, "\"\xff\"", `[2]`} {
			if err := p.nc.Publish(subject, []byte(data)); err != nil {
				t.Error(err)
			}
		}
		q.say(t, `{"status": "success", "result": 1}`)
	})
	wantResult(t, use(t, d, tenant, "works", `{}`), "1")
	if err := p.nc.Publish(p.heard()[0].msg.Header.Get("Helve-Events"), []byte(`"too late"`)); err != nil {
		t.Error(err)
	}
	wantResult(t, execute(t, d, tenant, `{"calls": [{"call_id": "c2", "tool": "works"}]}`).Results[0], "1")
	events.until("done", "c2")
	told := map[string][]string{}
	for _, e := range events.heard {
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
