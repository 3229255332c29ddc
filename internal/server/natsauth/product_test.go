package natsauth

import (
	"strings"
	"testing"
)

// TestCalls: an agent's call runs, and the permitted subscribers receive its events.
func TestCalls(t *testing.T) {
	t.Parallel()
	agent, auditor := shared.as(t, "acme.agent"), shared.as(t, "acme.auditor")
	events, records := agent.listen(t, "helve.v1.acme.event.*.p1"), auditor.listen(t, "helve.v1.acme.audit.>")
	e := agent.call(t, "acme", `{"calls": [{"call_id": "p1", "tool": "debug.echo", "arguments": {"value": 7}}]}`)
	if e["status"] != "success" || e["result"] != 7.0 {
		t.Errorf("execute = %v, want 7", e)
	}
	for _, want := range []string{"queued", "started", "done"} {
		if got := string(next(t, events).Data); !strings.Contains(got, `"type":"`+want+`"`) {
			t.Errorf("the next event is %s, want %s", got, want)
		}
	}
	for msg := next(t, records); !strings.Contains(string(msg.Data), `"call_id":"p1"`); {
		msg = next(t, records)
	}
	found := auditor.api(t, "acme", "audit.query", `{"call_id": "p1"}`)
	if list, _ := found["records"].([]any); len(list) == 0 {
		t.Errorf("audit.query = %v, want records", found)
	}
	if e := shared.as(t, "beta.agent").call(t, "beta",
		`{"calls": [{"call_id": "p1", "tool": "debug.echo", "arguments": {"value": 8}}]}`); e["result"] != 8.0 {
		t.Errorf("the same call_id of another tenant = %v, want 8", e)
	}
}

// TestConsent: the person receives the request and grants it, all over NATS.
func TestConsent(t *testing.T) {
	t.Parallel()
	agent, user := shared.as(t, "acme.agent"), shared.as(t, "acme.user")
	inbox, decided := user.listen(t, "helve.v1.acme.consent.request.u1"), user.listen(t, "helve.v1.acme.consent.decision.u1")
	e := agent.call(t, "acme", `{"context": {"user": "u1"}, "calls": [{"call_id": "p2", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`)
	id, _ := e["consent_id"].(string)
	if e["state"] != "awaiting_consent" || id == "" {
		t.Fatalf("execute = %v, want it to await a person", e)
	}
	if asked := string(next(t, inbox).Data); !strings.Contains(asked, id) {
		t.Errorf("the person is asked %s, want %s", asked, id)
	}
	if !agent.refusesPublish(t, msg("helve.v1.acme.api.consent.decide", `{"consent_id": "`+id+`", "decision": "grant", "by": "u1"}`)) {
		t.Error("the agent could ask to approve its own call")
	}
	user.api(t, "acme", "consent.decide", `{"consent_id": "`+id+`", "decision": "grant", "by": "u1"}`)
	if e := agent.settled(t, "acme", "p2"); e["status"] != "success" {
		t.Errorf("the granted call = %v, want success", e)
	}
	if told := string(next(t, decided).Data); !strings.Contains(told, id) {
		t.Errorf("the decision is %s, want that of %s", told, id)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	agent := shared.as(t, "acme.agent")
	events := agent.listen(t, "helve.v1.acme.event.*.p3")
	agent.call(t, "acme", `{"wait_ms": 0, "calls": [{"call_id": "p3", "tool": "debug.sleep", "arguments": {"ms": 600000}}]}`)
	for told := ""; !strings.Contains(told, `"type":"started"`); { // queued comes first
		told = string(next(t, events).Data)
	}
	agent.api(t, "acme", "calls.cancel", `{"call_id": "p3"}`)
	if e := agent.settled(t, "acme", "p3"); e["error_type"] != "cancelled" {
		t.Errorf("the cancelled call = %v, want cancelled", e)
	}
}

// TestLarge: arguments and results go through the object stores.
func TestLarge(t *testing.T) {
	t.Parallel()
	agent := shared.as(t, "acme.agent")
	for id, bytes := range map[string]int{"p4": 1 << 10, "p5": 700 << 10} {
		value := strings.Repeat("x", bytes)
		e := agent.call(t, "acme", `{"calls": [{"call_id": "`+id+`", "tool": "debug.echo", "arguments": {"value": "`+value+`"}}]}`)
		if e["result"] != value {
			t.Errorf("%d bytes came back as %.200v", bytes, e)
		}
	}
}

// TestEverybodysOperations: what each role may ask for is answered.
func TestEverybodysOperations(t *testing.T) {
	t.Parallel()
	for role, operations := range map[string][]string{
		"agent": {"tools.list", "groups.list"}, "user": {"tools.list", "consent.list", "grants.list", "agents.list"},
		"approver": {"consent.list", "grants.list"}, "admin": {"agents.list", "consent.list", "audit.query"},
		"auditor": {"audit.query", "audit.verify", "consent.list", "agents.list"},
	} {
		c := shared.as(t, "acme."+role)
		for _, operation := range operations {
			body := "{}"
			if operation == "grants.list" || operation == "consent.list" {
				body = `{"user": "u1"}`
			}
			c.api(t, "acme", operation, body)
		}
	}
}

// TestVersionsOfDispatchers: a dispatcher may request the versions of all dispatchers, as for
// system.check, and nothing else of their services.
func TestVersionsOfDispatchers(t *testing.T) {
	t.Parallel()
	c := shared.as(t, "dispatcher")
	reply, err := c.Request("$SRV.INFO.helve-dispatcher", nil, patience())
	if err != nil || !strings.Contains(string(reply.Data), `"metadata":{"version":`) {
		t.Errorf("$SRV.INFO = %+v, %v (%v), want a version", reply, err, c.LastError())
	}
	for _, subject := range []string{"$SRV.PING", "$SRV.STATS.helve-dispatcher", "$SRV.INFO"} {
		if !c.refusesPublish(t, msg(subject, "")) {
			t.Errorf("publishing to %s is permitted", subject)
		}
	}
}

// TestAccounts: a worker gets a person's account from a dispatcher, or the reason why there
// is none.
func TestAccounts(t *testing.T) {
	t.Parallel()
	msg, err := shared.as(t, "worker").Request("helve.v1.acme.account.u1.cloud", []byte(`{}`), patience())
	if err != nil || !strings.Contains(string(msg.Data), "Helve is not registered at cloud") {
		t.Errorf("the dispatcher answers %v, %v", msg, err)
	}
}
