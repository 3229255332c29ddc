package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
)

func TestConsentExpires(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{dispatchers: 2, config: func(c *config.Config) { c.Consent.TTL = 3 * time.Second }})
	tenant, d := newTenant(), s.http(0)
	e := park(t, d, tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	wantError(t, settled(t, d, tenant, "g1"), "consent_expired", "")
	if r := decide(t, s.http(1), tenant, e.ConsentID, `{"decision": "grant"}`); r.status != 409 || !strings.Contains(string(r.body), "expired") {
		t.Errorf("a decision after the expiry = %d %s, want 409 that says so", r.status, r.body)
	}
	if lines := ledger(t, s, tenant, "u1"); len(lines) != 0 {
		t.Errorf("the ledger has %q after the expiry", lines)
	}
	e = park(t, d, tenant, `{"call_id": "g2", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	grant(t, d, tenant, e.ConsentID)
	wantResult(t, settled(t, d, tenant, "g2"), `{"written":true}`)
}

func TestInboxIsBounded(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{workers: 2, config: func(c *config.Config) { c.Consent.MaxPerUser = 3 }})
	tenant, d := newTenant(), s.http(0)
	calls := make([]string, 20)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"call_id": "g%d", "tool": "debug.guarded", "arguments": {"key": "k%d"}}`, i, i)
	}
	waiting, refused := []element{}, 0
	for _, e := range execute(t, d, tenant, asUser(30000, strings.Join(calls, ","))).Results {
		if e.State == "awaiting_consent" {
			waiting = append(waiting, e)
			continue
		}
		wantError(t, e, "rate_limited", "decision")
		refused++
	}
	if len(waiting) != 3 || refused != 17 {
		t.Fatalf("%d wait and %d were refused, want 3 and 17", len(waiting), refused)
	}
	other := execute(t, d, tenant, `{"context": {"user": "u2"}, "calls": [{"tool": "debug.guarded", "arguments": {"key": "k"}}]}`).Results[0]
	if other.State != "awaiting_consent" {
		t.Errorf("another user's call got %v, want it to wait", other)
	}
	grant(t, d, tenant, waiting[0].ConsentID)
	wantResult(t, settled(t, d, tenant, waiting[0].CallID), `{"written":true}`)
	eventually(t, "there is room again", func() bool {
		e := execute(t, d, tenant, asUser(30000, `{"tool": "debug.guarded", "arguments": {"key": "k"}}`)).Results[0]
		return e.State == "awaiting_consent"
	})
}

// TestParkedCallsOutliveEverything restarts the dispatchers, the workers and
// NATS, and decides then.
func TestParkedCallsOutliveEverything(t *testing.T) {
	t.Parallel()
	dir, tenant := t.TempDir(), newTenant()
	s, err := start(dir, plan{})
	if err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 300<<10) // goes through the object store
	e := park(t, s.http(0), tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k1"}}`)
	big := park(t, s.http(0), tenant, fmt.Sprintf(`{"call_id": "g2", "tool": "contract_long", "arguments": {"text": %q}}`, large))
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	s, err = start(dir, plan{})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("the system did not drain: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	d := s.http(0)
	if waiting := consents(t, d, tenant, "pending"); len(waiting) != 2 {
		t.Errorf("after the restart %d requests wait, want 2", len(waiting))
	}
	grant(t, d, tenant, e.ConsentID)
	grant(t, d, tenant, big.ConsentID)
	wantResult(t, settled(t, d, tenant, "g1"), `{"written":true}`)
	wantResult(t, settled(t, d, tenant, "g2"), strconv.Itoa(len(large)))
	if lines := ledger(t, s, tenant, "u1"); len(lines) != 1 {
		t.Errorf("the ledger has %d lines, want 1", len(lines))
	}
}
