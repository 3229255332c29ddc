package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
)

// request is a consent of the protocol.
type request struct {
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

// record is an audit record of the protocol.
type record struct {
	Seq       uint64 `json:"seq"`
	Phase     string `json:"phase"`
	CallID    string `json:"call_id"`
	TraceID   string `json:"trace_id"`
	Tool      string `json:"tool"`
	User      string `json:"user"`
	By        string `json:"by"`
	ArgsHash  string `json:"args_hash"`
	ConsentID string `json:"consent_id"`
	Attempt   int    `json:"attempt"`
	Worker    string `json:"worker"`
	Decision  struct {
		Outcome string `json:"outcome"`
		Reason  string `json:"reason"`
		Rule    string `json:"rule"`
	} `json:"decision"`
	Result struct {
		Status    string `json:"status"`
		ErrorType string `json:"error_type"`
	} `json:"result"`
}

// asUser is the body of an execute whose calls are u1's.
func asUser(wait int, calls string) string {
	return fmt.Sprintf(`{"context": {"user": "u1", "conversation": "c1"}, "wait_ms": %d, "calls": [%s]}`, wait, calls)
}

// park sends a call that needs a person and returns what it is answered.
func park(t testing.TB, d door, tenant, call string) element {
	t.Helper()
	e := execute(t, d, tenant, asUser(30000, call)).Results[0]
	if e.Status != "pending" || e.State != "awaiting_consent" || e.ConsentID == "" {
		t.Fatalf("the call was answered %v, consent %q, want one that awaits consent", e, e.ConsentID)
	}
	return e
}

// decide decides a consent.
func decide(t testing.TB, d door, tenant, id, body string) reply {
	t.Helper()
	return d.ask(t, tenant, "consent.decide", map[string]string{"consent_id": id}, body)
}

func grant(t testing.TB, d door, tenant, id string) {
	t.Helper()
	if r := decide(t, d, tenant, id, `{"decision": "grant", "by": "u1"}`); r.status != 200 {
		t.Fatalf("grant = %d %s, want 200", r.status, r.body)
	}
}

// consents lists those of a status.
func consents(t testing.TB, d door, tenant, status string) []request {
	t.Helper()
	r := d.ask(t, tenant, "consent.list", map[string]string{"status": status, "user": "u1"}, "")
	if r.status != 200 {
		t.Fatalf("consent.list = %d %s", r.status, r.body)
	}
	return decode[struct {
		Consents []request `json:"consents"`
	}](t, r).Consents
}

// story is what the audit trail holds of a call, in order.
func story(t testing.TB, d door, tenant, callID string) []record {
	t.Helper()
	r := d.ask(t, tenant, "audit.query", map[string]string{"call_id": callID}, "")
	if r.status != 200 {
		t.Fatalf("audit.query = %d %s", r.status, r.body)
	}
	return decode[struct {
		Records []record `json:"records"`
	}](t, r).Records
}

// refusalOf is the record of a call that was refused, which comes after its answer.
func refusalOf(t testing.TB, d door, tenant, callID string) record {
	t.Helper()
	var records []record
	eventually(t, callID+" is on record", func() bool { records = story(t, d, tenant, callID); return len(records) > 0 })
	if len(records) != 1 || records[0].Phase != "refused" {
		t.Fatalf("the audit trail of %s has %+v, want one record, of a refusal", callID, records)
	}
	return records[0]
}

func phases(records []record) []string {
	var all []string
	for _, r := range records {
		all = append(all, r.Phase)
	}
	return all
}
