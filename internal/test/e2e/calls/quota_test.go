package calls

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// wantLimited fails the test unless a call was refused for a quota.
func wantLimited(t testing.TB, e system.Element, whose string) {
	t.Helper()
	system.WantError(t, e, "rate_limited", whose)
	if ms, ok := e.Metadata["retry_after_ms"].(float64); !ok || ms <= 0 {
		t.Errorf("metadata = %v, want a retry_after_ms", e.Metadata)
	}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2, Config: func(c *config.Config) {
		c.Worker.Slots, c.Quota.User, c.Quota.Tenants = 1, 3, []string{"default=5"}
	}})
	release := s.Occupy(t, "hold")
	send := func(d system.Door, user string, ids ...string) system.Reply {
		t.Helper()
		calls := ""
		for i, id := range ids {
			if i > 0 {
				calls += ","
			}
			calls += fmt.Sprintf(`{"call_id": %q, "tool": "debug.effect", "arguments": {"key": "k"}}`, id)
		}
		return d.Ask(t, "default", "execute", nil, fmt.Sprintf(`{"context": {"user": %q}, "wait_ms": 0, "calls": [%s]}`, user, calls))
	}
	d := s.HTTP(0)
	for i := range 3 {
		if r := send(d, "ann", fmt.Sprint("a", i)); r.Status != 200 {
			t.Fatalf("call %d within the quota = %d %s", i+1, r.Status, r.Body)
		}
	}
	r := send(d, "ann", "a3")
	system.WantProblem(t, "a call over the quota", r, 429, "rate_limited")
	if r.Header.Get("Retry-After") == "" {
		t.Errorf("429 without Retry-After: %v", r.Header)
	}
	wantLimited(t, system.Decode[system.Answer](t, r).Results[0], "3 calls of this user")
	system.WantProblem(t, "a refused call", d.Ask(t, "default", "calls.get", map[string]string{"call_id": "a3"}, ""), 404, "not_found")

	// A call that was accepted is joined, and a request with one such call has its answer.
	r = send(d, "ann", "a0", "a3")
	if r.Status != 200 {
		t.Fatalf("a request with a call that was accepted before = %d %s", r.Status, r.Body)
	}
	if e := system.Decode[system.Answer](t, r).Results; e[0].Status != "pending" {
		t.Errorf("a call that is joined = %+v, want pending", e[0])
	} else {
		wantLimited(t, e[1], "this user")
	}
	// Other users are not refused, until the tenant's quota is used.
	for _, id := range []string{"b0", "b1"} {
		if r := send(d, "bob", id); r.Status != 200 {
			t.Fatalf("a call of another user = %d %s", r.Status, r.Body)
		}
	}
	r = send(d, "carl", "c0")
	system.WantProblem(t, "a call over the tenant's quota", r, 429, "rate_limited")
	wantLimited(t, system.Decode[system.Answer](t, r).Results[0], "5 calls of this tenant")
	// Each dispatcher counts separately.
	if r := send(s.HTTP(1), "ann", "other"); r.Status != 200 {
		t.Errorf("a call by the other dispatcher = %d %s", r.Status, r.Body)
	}

	release()
	for _, id := range []string{"a0", "a1", "a2", "b0", "b1", "other"} {
		system.WantResult(t, system.Settled(t, d, "default", id), `{"written":true}`)
	}
	system.Eventually(t, "there is room again", func() bool { return send(d, "ann", "a3").Status == 200 })
	system.WantResult(t, system.Settled(t, d, "default", "a3"), `{"written":true}`)
}

// TestPriority: with one slot, calls of priority batch run after interactive ones.
func TestPriority(t *testing.T) {
	t.Parallel()
	s, release := system.OneSlot(t, 1)
	for i := range 3 {
		system.Enqueue(t, s.HTTP(0), "default",
			fmt.Sprintf(`{"call_id": "b%d", "tool": "debug.effect", "priority": "batch", "arguments": {"key": "batch"}}`, i))
	}
	for i := range 3 {
		system.Enqueue(t, s.NATS(), "default",
			fmt.Sprintf(`{"call_id": "i%d", "tool": "debug.effect", "priority": "interactive", "arguments": {"key": "now"}}`, i))
	}
	system.Eventually(t, "a call of each priority waits at the worker", func() bool {
		return s.Metric(t, `helve_pool_backlog{pool="default"}`) == 4
	})
	release()
	for _, id := range []string{"b0", "b1", "b2", "i0", "i1", "i2"} {
		system.WantResult(t, system.Settled(t, s.HTTP(0), "default", id), `{"written":true}`)
	}
	if got := s.Ledger(t, "default"); len(got) != 6 || got[0] != "now i0" {
		t.Errorf("ledger = %q, want the interactive call first", got)
	}
	system.WantError(t, system.One(t, s.HTTP(0), "default", `{"tool": "debug.echo", "priority": "soon", "arguments": {"value": 1}}`),
		"validation_error", `priority must be "interactive" or "batch"`)
}
