package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestQueryOfAFullTrail: while the trail has no room, a query about a call that succeeded returns
// the record of the call, or the error of a trail that is behind, never an empty list.
func TestQueryOfAFullTrail(t *testing.T) {
	t.Parallel()
	s, err := system.Start(t.TempDir(), system.Plan{Config: func(c *config.Config) {
		c.Audit.MaxBytes, c.Worker.DrainTimeout = 24<<10, time.Second
	}})
	t.Cleanup(func() {
		if err := s.Stop(); err != nil && !strings.Contains(err.Error(), "not every call was finished in time") {
			t.Errorf("the system did not drain: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	const tenant = "default"
	done := fillTrail(t, s.HTTP(0), tenant)
	// The calls are recorded in order, so the last call is not on the trail and the first one is.
	first, last := done[0], done[len(done)-1]
	for name, d := range map[string]system.Door{"http": s.HTTP(0), "nats": s.NATS()} {
		for _, params := range []map[string]string{{"call_id": last.CallID}, {"trace_id": last.TraceID}} {
			what := fmt.Sprintf("%s: audit.query %v of a call that is not on the trail", name, params)
			r := d.Ask(t, tenant, "audit.query", params, "")
			system.WantProblem(t, what, r, 503, "unavailable")
			if !strings.Contains(string(r.Body), "the audit trail is behind") {
				t.Errorf("%s does not say that the trail is behind: %s", what, r.Body)
			}
		}
		if got := system.Phases(system.CallRecords(t, d, tenant, first.CallID)); len(got) != 1 || got[0] != "finished" {
			t.Errorf("%s: the records of the first call are %q, want its last one", name, got)
		}
	}
	r := s.HTTP(0).Ask(t, tenant, "audit.query", map[string]string{"call_id": last.CallID}, "")
	if after := r.Header.Get("Retry-After"); after != "1" {
		t.Errorf("Retry-After = %q, want 1", after)
	}
}

// fillTrail makes calls that only read until the trail is full, and returns those that succeeded.
func fillTrail(t *testing.T, d system.Door, tenant string) []system.Element {
	t.Helper()
	const most = 400
	var done []system.Element
	for range most {
		r := d.Ask(t, tenant, "execute", nil, `{"wait_ms": 10000, "calls": [`+system.EchoCall("1")+`]}`)
		a := system.Decode[system.Answer](t, r)
		e := a.Results[0]
		switch {
		case r.Status == 503 && len(done) > 1:
			system.WantError(t, e, "overloaded", "audit.max_bytes")
			return done
		case r.Status == 200 && e.Status == "success":
			e.TraceID = a.TraceID
			done = append(done, e)
		case r.Status != 200:
			t.Fatalf("execute = %d %s", r.Status, r.Body)
		}
	}
	t.Fatalf("%d calls went onto a trail of 24 KiB", len(done))
	return nil
}
