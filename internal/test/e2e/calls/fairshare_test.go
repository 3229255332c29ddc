package calls

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// sleeps queues n calls of a user that run until they are cancelled. They are sent in small
// groups, and repeated until each is queued: the confirmation must arrive within the time
// of a request.
func sleeps(t *testing.T, s *system.System, tenant, user string, n int) {
	t.Helper()
	const few = 20
	for i := 0; i < n; i += few {
		calls := make([]string, min(few, n-i))
		for k := range calls {
			calls[k] = fmt.Sprintf(`{"call_id": "%s-%d", "tool": "debug.sleep", "arguments": {"ms": 600000}}`, user, i+k)
		}
		body := fmt.Sprintf(`{"context": {"user": %q}, "wait_ms": 0, "calls": [%s]}`, user, strings.Join(calls, ","))
		system.Eventually(t, "the calls are queued", func() bool {
			r := s.HTTP(0).Ask(t, tenant, "execute", nil, body)
			return r.Status == 200 &&
				!slices.ContainsFunc(system.Decode[system.Answer](t, r).Results, func(e system.Element) bool { return e.Status != "pending" })
		})
	}
}

// TestQuietTenantBesideANoisyOne: the calls of the noisy tenant last until the test ends,
// so a call that ends did not wait for one of them.
func TestQuietTenantBesideANoisyOne(t *testing.T) {
	t.Parallel()
	const slots, reserve, noisy = 8, 2, 300
	s := system.Launch(t, system.Plan{
		Dispatchers: 2, Config: func(c *config.Config) { c.Worker.Slots, c.Worker.DrainTimeout = slots, 4*time.Second },
	})
	sleeps(t, s, "noisy", "n", noisy)
	system.Eventually(t, "the noisy tenant has its slots", func() bool {
		return s.Metric(t, `helve_calls_in_flight{pool="default"}`) >= slots-reserve
	})
	for i, d := range []system.Door{s.HTTP(0), s.HTTP(1), s.NATS()} {
		for _, tenant := range []string{"quiet", "noisy"} { // the second is a quiet user of the noisy tenant
			e := system.One(t, d, tenant, fmt.Sprintf(`{"call_id": "q%d", "tool": "debug.echo", "arguments": {"value": 1}}`, i))
			system.WantResult(t, e, `1`)
			if e.Attempt != 1 {
				t.Errorf("the quiet call of %s is at attempt %d, want 1", tenant, e.Attempt)
			}
		}
	}
	if n := s.Metric(t, `helve_calls_in_flight{pool="default"}`); n > slots {
		t.Errorf("%v calls run on %d slots", n, slots)
	}
	system.Eventually(t, "the backlog counts all lanes", func() bool { return s.Metric(t, `helve_pool_backlog{pool="default"}`) > noisy*9/10 })
}
