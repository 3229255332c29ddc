package people

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestConsentExpires(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2, Config: func(c *config.Config) { c.Consent.TTL = 3 * time.Second }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	e := system.Park(t, d, tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	system.WantError(t, system.Settled(t, d, tenant, "g1"), "consent_expired", "")
	if r := system.Decide(t, s.HTTP(1), tenant, e.ConsentID, `{"decision": "grant"}`); r.Status != 409 ||
		!strings.Contains(string(r.Body), "expired") {
		t.Errorf("a decision after the expiry = %d %s, want 409 that says so", r.Status, r.Body)
	}
	if lines := system.UserLedger(t, s, tenant, "u1"); len(lines) != 0 {
		t.Errorf("the ledger has %q after the expiry", lines)
	}
	e = system.Park(t, d, tenant, `{"call_id": "g2", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	system.Grant(t, d, tenant, e.ConsentID)
	system.WantResult(t, system.Settled(t, d, tenant, "g2"), `{"written":true}`)
}

func TestInboxIsBounded(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 2, Config: func(c *config.Config) { c.Consent.MaxPerUser = 3 }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	calls := make([]string, 20)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"call_id": "g%d", "tool": "debug.guarded", "arguments": {"key": "k%d"}}`, i, i)
	}
	waiting, refused := []system.Element{}, 0
	for _, e := range system.Execute(t, d, tenant, system.AsUser(30000, strings.Join(calls, ","))).Results {
		if e.State == "awaiting_consent" {
			waiting = append(waiting, e)
			continue
		}
		system.WantError(t, e, "rate_limited", "decision")
		refused++
	}
	if len(waiting) != 3 || refused != 17 {
		t.Fatalf("%d wait and %d were refused, want 3 and 17", len(waiting), refused)
	}
	other := system.Execute(t, d, tenant,
		`{"context": {"user": "u2"}, "calls": [{"tool": "debug.guarded", "arguments": {"key": "k"}}]}`).Results[0]
	if other.State != "awaiting_consent" {
		t.Errorf("another user's call got %v, want it to wait", other)
	}
	system.Grant(t, d, tenant, waiting[0].ConsentID)
	system.WantResult(t, system.Settled(t, d, tenant, waiting[0].CallID), `{"written":true}`)
	system.Eventually(t, "there is room again", func() bool {
		e := system.Execute(t, d, tenant, system.AsUser(30000, `{"tool": "debug.guarded", "arguments": {"key": "k"}}`)).Results[0]
		return e.State == "awaiting_consent"
	})
}

// TestParkedCallsOutliveEverything restarts the dispatchers, the workers and NATS, and
// decides then.
func TestParkedCallsOutliveEverything(t *testing.T) {
	t.Parallel()
	dir, tenant := t.TempDir(), system.NewTenant()
	s, err := system.Start(dir, system.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 300<<10) // stored in the object store
	e := system.Park(t, s.HTTP(0), tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k1"}}`)
	big := system.Park(t, s.HTTP(0), tenant, fmt.Sprintf(`{"call_id": "g2", "tool": "contract_long", "arguments": {"text": %q}}`, large))
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	s, err = system.Start(dir, system.Plan{})
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("the system did not drain: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	d := s.HTTP(0)
	if waiting := system.Consents(t, d, tenant, "pending"); len(waiting) != 2 {
		t.Errorf("after the restart %d requests wait, want 2", len(waiting))
	}
	system.Grant(t, d, tenant, e.ConsentID)
	system.Grant(t, d, tenant, big.ConsentID)
	system.WantResult(t, system.Settled(t, d, tenant, "g1"), `{"written":true}`)
	system.WantResult(t, system.Settled(t, d, tenant, "g2"), strconv.Itoa(len(large)))
	if lines := system.UserLedger(t, s, tenant, "u1"); len(lines) != 1 {
		t.Errorf("the ledger has %d lines, want 1", len(lines))
	}
}
