package natsauth

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

// refused asks for an operation and returns the error of the answer, code and body.
func (c caller) refused(t *testing.T, operation, body string) string {
	t.Helper()
	m, err := c.Request("helve.v1.acme.api."+operation, []byte(body), patience())
	if err != nil {
		t.Fatalf("%s: %v (%v)", operation, err, c.LastError())
	}
	return m.Header.Get("Nats-Service-Error-Code") + " " + string(m.Data)
}

// TestPersons: a person's credential uses the published subjects, acts as that person
// and reaches nothing of another person, by whatever id.
func TestPersons(t *testing.T) {
	t.Parallel()
	ann, bob := shared.as(t, "acme.ann"), shared.as(t, "acme.bob")
	inbox := ann.listen(t, "helve.v1.acme.consent.request.ann")
	const trace = "5f2a0c4be1d24a7e9d3c6b8a7f1e2d30"
	done := ann.call(t, "acme",
		`{"trace_id": "`+trace+`", "calls": [{"call_id": "ann-1", "tool": "debug.echo", "arguments": {"value": "mine"}}]}`)
	if owner, _ := done["owner"].(map[string]any); done["result"] != "mine" || owner["user"] != "ann" {
		t.Fatalf("ann's call = %v, want a result of ann's", done)
	}
	ann.call(t, "acme", `{"wait_ms": 0, "calls": [{"call_id": "ann-2", "tool": "debug.sleep", "arguments": {"ms": 600000}}]}`)
	asked := ann.call(t, "acme", `{"calls": [{"call_id": "ann-3", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`)
	consent, _ := asked["consent_id"].(string)
	if got := string(next(t, inbox).Data); consent == "" || !strings.Contains(got, consent) {
		t.Fatalf("ann is asked %s, want the consent %q", got, consent)
	}

	same := func(what, operation, mine, unknown string) {
		t.Helper()
		if got, want := bob.refused(t, operation, mine), bob.refused(t, operation, unknown); got != want || !strings.HasPrefix(got, "404 ") {
			t.Errorf("%s: bob is answered %s, want what an unknown id gives: %s", what, got, want)
		}
	}
	for _, id := range []string{"ann-1", "ann-2", "ann-3"} {
		for _, operation := range []string{"calls.get", "calls.cancel"} {
			same(operation+" "+id, operation, `{"call_id": "`+id+`", "context": {"user": "ann"}, "user": "ann"}`, `{"call_id": "nobodys"}`)
		}
	}
	same("consent.get", "consent.get", `{"consent_id": "`+consent+`"}`, `{"consent_id": "c-none"}`)
	same("consent.decide", "consent.decide", `{"consent_id": "`+consent+`", "decision": "grant"}`,
		`{"consent_id": "c-none", "decision": "grant"}`)
	for operation, body := range map[string]string{
		"execute":        `{"context": {"user": "ann"}, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`,
		"consent.list":   `{"user": "ann"}`,
		"consent.get":    `{"consent_id": "` + consent + `", "user": "ann"}`,
		"consent.decide": `{"consent_id": "` + consent + `", "decision": "grant", "by": "ann"}`,
		"grants.list":    `{"user": "ann"}`,
		"tokens.mint":    `{"user": "ann", "trace_id": "` + trace + `", "tools": ["debug.guarded"]}`,
	} {
		if got := bob.refused(t, operation, body); !strings.HasPrefix(got, "403 ") {
			t.Errorf("bob asks for %s as ann and is answered %s, want 403", operation, got)
		}
	}
	again := bob.call(t, "acme", `{"calls": [{"call_id": "ann-1", "tool": "debug.echo", "arguments": {"value": "mine"}}]}`)
	if text, _ := json.Marshal(again); again["error_type"] != "validation_error" || strings.Contains(string(text), "owner") {
		t.Errorf("bob sends ann's call again and is answered %s, want a validation error", text)
	}
	for _, subject := range []string{
		"helve.v1.acme.event.>", "helve.v1.acme.event." + trace + ".*", "helve.v1.acme.consent.request.ann", "helve.v1.acme.consent.request.*",
		"helve.v1.acme.consent.decision.ann", "helve.v1.acme.audit.>", "_INBOX_user.ann.>", "_INBOX_user.user.>",
	} {
		if !bob.refusesSubscribe(t, subject) {
			t.Errorf("bob may listen to %s", subject)
		}
	}
	for _, subject := range []string{
		"helve.v1.acme.as.ann.api.execute", "helve.v1.acme.as.bob.api.execute", "helve.v1.beta.api.execute", "helve.v1.acme.api.agents.put",
	} {
		if !bob.refusesPublish(t, &nats.Msg{Subject: subject, Data: []byte(`{}`)}) {
			t.Errorf("bob may publish to %s", subject)
		}
	}
	ann.api(t, "acme", "calls.cancel", `{"call_id": "ann-2"}`)
	ann.api(t, "acme", "consent.decide", `{"consent_id": "`+consent+`", "decision": "deny"}`)
	if e := ann.settled(t, "acme", "ann-3"); e["error_type"] != "permission_denied" {
		t.Errorf("ann's denied call = %v", e)
	}
}

// TestPersonsAreChecked: no two accounts and no two files share a name.
func TestPersonsAreChecked(t *testing.T) {
	for person, says := range map[string]string{
		"ann": "must be TENANT/USER", "other/ann": "not among those", "acme/user": "the name of a role", "acme/x": "would share the account",
		"acme/a.b": "must be 1 to 64", "acme/": "must be TENANT/USER",
	} {
		s := Server{Prefix: "helve.v1", Tenants: []string{"acme", "acme-x"}, Persons: []string{person}}
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", person, err, says)
		}
	}
}
