package system

import (
	"encoding/json"
	"testing"
)

// Consent is a consent of the protocol.
type Consent struct {
	ConsentID string `json:"consent_id"`
	Status    string `json:"status"`
	Call      struct {
		CallID  string `json:"call_id"`
		TraceID string `json:"trace_id"`
	} `json:"call"`
	Tool        string          `json:"tool"`
	Risk        string          `json:"risk"`
	Reason      string          `json:"reason"`
	Permissions []string        `json:"permissions"`
	Arguments   json.RawMessage `json:"arguments"`
	Preview     string          `json:"preview"`
	ArgsHash    string          `json:"args_hash"`
	Decision    struct {
		By string `json:"by"`
	} `json:"decision"`
}

// Park sends a call that needs consent and returns the answer.
func Park(t testing.TB, d Door, tenant, call string) Element {
	t.Helper()
	e := Execute(t, d, tenant, AsUser(30000, call)).Results[0]
	if e.Status != "pending" || e.State != "awaiting_consent" || e.ConsentID == "" {
		t.Fatalf("the call was answered %v, consent %q, want a call that awaits consent", e, e.ConsentID)
	}
	return e
}

// Decide decides a consent.
func Decide(t testing.TB, d Door, tenant, id, body string) Reply {
	t.Helper()
	return d.Ask(t, tenant, "consent.decide", map[string]string{"consent_id": id}, body)
}

// Grant grants a consent as u1.
func Grant(t testing.TB, d Door, tenant, id string) {
	t.Helper()
	if r := Decide(t, d, tenant, id, `{"decision": "grant", "by": "u1"}`); r.Status != 200 {
		t.Fatalf("grant = %d %s, want 200", r.Status, r.Body)
	}
}

// Consents lists the consents of a status.
func Consents(t testing.TB, d Door, tenant, status string) []Consent {
	t.Helper()
	r := d.Ask(t, tenant, "consent.list", map[string]string{"status": status, "user": "u1"}, "")
	if r.Status != 200 {
		t.Fatalf("consent.list = %d %s", r.Status, r.Body)
	}
	return Decode[struct {
		Consents []Consent `json:"consents"`
	}](t, r).Consents
}
