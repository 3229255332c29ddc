package natsauth

import (
	"testing"

	"github.com/nats-io/nats.go"
)

// stored reports what lies in a stream last under a subject, nil for nothing.
func (c caller) stored(t *testing.T, stream, subject string) *nats.Msg {
	t.Helper()
	found, err := c.Request("$JS.API.DIRECT.GET."+stream, []byte(`{"last_by_subj": "`+subject+`"}`), patience())
	if err != nil {
		t.Fatal(err)
	}
	if found.Header.Get("Status") == "404" {
		return nil
	}
	return found
}

// TestRepliesStayInTheTenant: the requester chooses the reply subject, and the replying
// dispatcher may publish nearly everywhere. The reply must nevertheless arrive in the
// requester's account.
func TestRepliesStayInTheTenant(t *testing.T) {
	t.Parallel()
	agent, admin, own := shared.as(t, "acme.agent"), shared.as(t, "acme.admin"), shared.as(t, string(Dispatcher))
	e := agent.call(t, "acme", `{"context": {"user": "u3"}, "calls": [{"call_id": "d1", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`)
	id, _ := e["consent_id"].(string)
	for _, tt := range []struct{ stream, subject string }{
		{"HELVE_PARKED", "helve.v1.acme.verdict.x." + id},
		{"HELVE_PARKED", "helve.v1.beta.verdict.x." + id},
		{"HELVE_AUDIT", "helve.v1.beta.audit.d1"},
		{"HELVE_ONCE", "helve.v1.acme.once.d2.fence"},
		{"HELVE_RESULTS", "helve.v1.beta.result.default.d.d1"},
		{"KV_helve_grants", "$KV.helve_grants.acme.d1"},
		{"KV_helve_agents", "$KV.helve_agents.acme.d1"},
		{"KV_helve_keys", "$KV.helve_keys.token.d1"},
	} {
		for _, operation := range []string{"consent.get", "agents.get", "tools.list", "nonsense"} {
			ask := msg("helve.v1.acme.api."+operation, `{"consent_id": "`+id+`", "agent": "a1"}`)
			ask.Reply = tt.subject
			if err := admin.PublishMsg(ask); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 { // the answers of before are on their way by now
			admin.api(t, "acme", "agents.list", "{}")
		}
		if own.stored(t, tt.stream, tt.subject) != nil {
			t.Errorf("an answer was stored under %s", tt.subject)
		}
	}
	// The answer comes back into the asker's account, where this is a way out
	// again: it must not be a decision there.
	ask := msg("helve.v1.acme.api.consent.get", `{"consent_id": "`+id+`"}`)
	ask.Reply = "helve.v1.acme.api.consent.decide"
	if err := admin.PublishMsg(ask); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := admin.api(t, "acme", "consent.get", `{"consent_id": "`+id+`"}`); got["status"] != "pending" {
			t.Fatalf("the request is %v, want it pending", got)
		}
	}
}
