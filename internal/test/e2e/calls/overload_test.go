package calls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestOverload(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2, Config: func(c *config.Config) { c.Worker.Slots, c.Dispatcher.MaxBacklog = 1, 5 }})
	release := s.Occupy(t, "hold")
	d := s.HTTP(0)

	// The number of waiting calls is an estimate, so each kind of request is sent until it
	// is refused.
	var accepted []string
	n := 0
	flood := func(d system.Door, more string) (r system.Reply, refused []system.Element) {
		t.Helper()
		for range 50 {
			n++
			r = d.Ask(t, "default", "execute", nil,
				fmt.Sprintf(`{"wait_ms": 0, "calls": [{"call_id": "c%d", "tool": "debug.effect", "arguments": {"key": "k"}}%s]}`, n, more))
			results := system.Decode[system.Answer](t, r).Results
			if len(results) == 0 {
				t.Fatalf("execute = %d %s, want results", r.Status, r.Body)
			}
			if results[0].Status != "pending" {
				return r, results
			}
			accepted = append(accepted, results[0].CallID)
		}
		t.Fatal("50 calls were accepted with a backlog of 5")
		return r, nil
	}

	r, refused := flood(d, "")
	system.WantProblem(t, "overload", r, 503, "overloaded")
	wantOverloaded(t, refused[0])
	if r.Header.Get("Retry-After") == "" {
		t.Errorf("overload without Retry-After: %v", r.Header)
	}
	if len(accepted) < 3 {
		t.Errorf("only %d calls were accepted with a backlog of 5", len(accepted))
	}
	// Over NATS the element contains everything.
	_, overNATS := flood(s.NATS(), "")
	wantOverloaded(t, overNATS[0])
	// A request with an answer for one of its calls is not a failure.
	r, mixed := flood(d, `, {"tool": "nope"}`)
	wantOverloaded(t, mixed[0])
	system.WantError(t, mixed[1], "tool_not_found", "nope")
	if r.Status != 200 {
		t.Errorf("a request with one answer = %d, want 200", r.Status)
	}
	// A refused call is not stored.
	system.WantProblem(t, "a refused call", d.Ask(t, "default", "calls.get", map[string]string{"call_id": refused[0].CallID}, ""), 404,
		"not_found")
	if got := s.Metric(t, `helve_overloaded_total{pool="default"}`); got < 2 {
		t.Errorf("helve_overloaded_total = %v, want every refusal", got)
	}

	release()
	for _, callID := range accepted {
		system.WantResult(t, system.Settled(t, d, "default", callID), `{"written":true}`)
	}
	again := fmt.Sprintf(`{"call_id": %q, "tool": "debug.effect", "arguments": {"key": "again"}}`, refused[0].CallID)
	system.Eventually(t, "there is room again", func() bool {
		r := d.Ask(t, "default", "execute", nil, `{"calls": [`+again+`]}`)
		return r.Status == 200 && system.Decode[system.Answer](t, r).Results[0].Status == "success"
	})
	want := append([]string{}, accepted...)
	for i := range want {
		want[i] = "k " + want[i]
	}
	s.WantLedger(t, "default", append(want, "again "+refused[0].CallID)...)
}

func wantOverloaded(t testing.TB, e system.Element) {
	t.Helper()
	system.WantError(t, e, "overloaded", "again")
	if ms, ok := e.Metadata["retry_after_ms"].(float64); !ok || ms <= 0 {
		t.Errorf("metadata = %v, want a retry_after_ms", e.Metadata)
	}
}

// TestFullStream: when NATS itself accepts no more bytes the answer is the same.
func TestFullStream(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Worker.Slots, c.Streams.CallsMaxBytes = 1, 256<<10 }})
	release := s.Occupy(t, "hold")
	value := strings.Repeat("x", 100<<10)
	accepted := 0
	for full := false; !full; accepted++ {
		r := s.HTTP(0).Ask(t, "default", "execute", nil,
			`{"wait_ms": 0, "calls": [`+fmt.Sprintf(`{"call_id": "c%d", "tool": "debug.echo", "arguments": {"value": %q}}`, accepted, value)+`]}`)
		a := system.Decode[system.Answer](t, r)
		if full = r.Status != 200 || a.Results[0].Status != "pending"; full {
			if r.Status != 503 || a.ErrorType != "overloaded" || r.Header.Get("Retry-After") == "" {
				t.Errorf("a full stream = %d %.300s, want 503 overloaded with Retry-After", r.Status, r.Body)
			}
			break
		}
		if accepted > 10 {
			t.Fatal("256 KiB hold more than ten calls of 100 KiB")
		}
	}
	release()
	for i := range accepted {
		if e := system.Settled(t, s.HTTP(0), "default", fmt.Sprintf("c%d", i)); e.Status != "success" {
			t.Errorf("an accepted call ended as %v", e)
		}
	}
	again := fmt.Sprintf(`{"call_id": "c%d", "tool": "debug.echo", "arguments": {"value": %q}}`, accepted, value)
	system.Eventually(t, "the refused call_id is accepted", func() bool {
		r := s.HTTP(0).Ask(t, "default", "execute", nil, `{"calls": [`+again+`]}`)
		return r.Status == 200 && system.Decode[system.Answer](t, r).Results[0].Status == "success"
	})
}
