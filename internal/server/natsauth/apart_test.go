package natsauth

import (
	"errors"
	"strings"
	"testing"
)

// TestWorkerApart: a worker in an account of its own does all that others do.
func TestWorkerApart(t *testing.T) {
	t.Parallel()
	s, err := start(t.TempDir(), "default")
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("drain: %v", err)
		}
		if lines := s.logs.violations(); len(lines) > 0 {
			t.Errorf("refused:\n%s", lines)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	agent, user := s.as(t, "acme.agent"), s.as(t, "acme.user")
	for id, size := range map[string]int{"a1": 1, "a2": 700 << 10} {
		value := strings.Repeat("x", size)
		if e := agent.call(t, "acme",
			`{"calls": [{"call_id": "`+id+`", "tool": "debug.echo", "arguments": {"value": "`+value+`"}}]}`); e["result"] != value {
			t.Errorf("%d bytes came back as %.200v", size, e)
		}
	}
	if e := agent.call(t, "acme",
		`{"calls": [{"call_id": "a3", "tool": "debug.effect", "arguments": {"key": "k"}}]}`); e["status"] != "success" {
		t.Errorf("a call with a fence = %v", e)
	}
	events := agent.listen(t, "helve.v1.acme.event.*.a4")
	agent.call(t, "acme", `{"wait_ms": 0, "calls": [{"call_id": "a4", "tool": "debug.sleep", "arguments": {"ms": 600000}}]}`)
	for told := ""; !strings.Contains(told, `"type":"started"`); {
		told = string(next(t, events).Data)
	}
	if e := agent.got(t, "acme", "a4"); e["state"] != "running" {
		t.Errorf("the running call = %v", e)
	}
	agent.api(t, "acme", "calls.cancel", `{"call_id": "a4"}`)
	if e := agent.settled(t, "acme", "a4"); e["error_type"] != "cancelled" {
		t.Errorf("the cancelled call = %v", e)
	}
	inbox := user.listen(t, "helve.v1.acme.consent.request.u1")
	records := s.as(t, "acme.auditor").listen(t, "helve.v1.acme.audit.>")
	e := agent.call(t, "acme", `{"context": {"user": "u1"}, "calls": [{"call_id": "a5", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`)
	id, _ := e["consent_id"].(string)
	if id == "" {
		t.Fatalf("execute = %v, want it to wait for a person", e)
	}
	if asked := string(next(t, inbox).Data); !strings.Contains(asked, id) {
		t.Errorf("the person is asked %s, want %s", asked, id)
	}
	for told := ""; !strings.Contains(told, `"a5"`); {
		told = string(next(t, records).Data)
	}
	user.api(t, "acme", "consent.decide", `{"consent_id": "`+id+`", "decision": "grant", "by": "u1"}`)
	if e := agent.settled(t, "acme", "a5"); e["status"] != "success" {
		t.Errorf("the granted call = %v", e)
	}
	if err := s.worker.drain(); err != nil {
		t.Fatalf("drain: %v", err)
	}
	if err := errors.Join(s.runWorker(), s.worker.ready()); err != nil {
		t.Fatal(err)
	}
	if e := agent.call(t, "acme",
		`{"calls": [{"call_id": "a6", "tool": "debug.effect", "arguments": {"key": "k"}}]}`); e["status"] != "success" {
		t.Errorf("after a restart = %v", e)
	}
}
