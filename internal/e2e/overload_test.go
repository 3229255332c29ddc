package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
)

func TestOverload(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{dispatchers: 2, config: func(c *config.Config) { c.Worker.Slots, c.Dispatcher.MaxBacklog = 1, 5 }})
	release := s.occupy(t, "hold")
	d := s.http(0)

	// The count of those that wait is an estimate, so each kind of request is
	// sent until it is refused.
	var accepted []string
	n := 0
	flood := func(d door, more string) (r reply, refused []element) {
		t.Helper()
		for range 50 {
			n++
			r = d.ask(t, "default", "execute", nil, fmt.Sprintf(`{"wait_ms": 0, "calls": [{"call_id": "c%d", "tool": "debug.effect", "arguments": {"key": "k"}}%s]}`, n, more))
			results := decode[answer](t, r).Results
			if len(results) == 0 {
				t.Fatalf("execute = %d %s, want results", r.status, r.body)
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
	wantProblem(t, "overload", r, 503, "overloaded")
	wantOverloaded(t, refused[0])
	if r.header.Get("Retry-After") == "" {
		t.Errorf("overload without Retry-After: %v", r.header)
	}
	if len(accepted) < 3 {
		t.Errorf("only %d calls were accepted with a backlog of 5", len(accepted))
	}
	// Over NATS the element says it all.
	_, overNATS := flood(s.nats(), "")
	wantOverloaded(t, overNATS[0])
	// A request of which one call got its answer is no failure.
	r, mixed := flood(d, `, {"tool": "nope"}`)
	wantOverloaded(t, mixed[0])
	wantError(t, mixed[1], "tool_not_found", "nope")
	if r.status != 200 {
		t.Errorf("a request with one answer = %d, want 200", r.status)
	}
	// What was refused is not stored.
	wantProblem(t, "a refused call", d.ask(t, "default", "calls.get", map[string]string{"call_id": refused[0].CallID}, ""), 404, "not_found")
	if got := s.metric(t, `helve_overloaded_total{pool="default"}`); got < 2 {
		t.Errorf("helve_overloaded_total = %v, want every refusal", got)
	}

	release()
	for _, callID := range accepted {
		wantResult(t, settled(t, d, "default", callID), `{"written":true}`)
	}
	again := fmt.Sprintf(`{"call_id": %q, "tool": "debug.effect", "arguments": {"key": "again"}}`, refused[0].CallID)
	eventually(t, "there is room again", func() bool {
		r := d.ask(t, "default", "execute", nil, `{"calls": [`+again+`]}`)
		return r.status == 200 && decode[answer](t, r).Results[0].Status == "success"
	})
	want := append([]string{}, accepted...)
	for i := range want {
		want[i] = "k " + want[i]
	}
	s.wantLedger(t, "default", append(want, "again "+refused[0].CallID)...)
}

func wantOverloaded(t testing.TB, e element) {
	t.Helper()
	wantError(t, e, "overloaded", "again")
	if ms, ok := e.Metadata["retry_after_ms"].(float64); !ok || ms <= 0 {
		t.Errorf("metadata = %v, want a retry_after_ms", e.Metadata)
	}
}

// TestFullStream: when NATS itself takes no more bytes the answer is the same.
func TestFullStream(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{config: func(c *config.Config) { c.Worker.Slots, c.Streams.CallsMaxBytes = 1, 256<<10 }})
	release := s.occupy(t, "hold")
	value := strings.Repeat("x", 100<<10)
	accepted := 0
	for full := false; !full; accepted++ {
		r := s.http(0).ask(t, "default", "execute", nil, `{"wait_ms": 0, "calls": [`+fmt.Sprintf(`{"call_id": "c%d", "tool": "debug.echo", "arguments": {"value": %q}}`, accepted, value)+`]}`)
		a := decode[answer](t, r)
		if full = r.status != 200 || a.Results[0].Status != "pending"; full {
			if r.status != 503 || a.ErrorType != "overloaded" || r.header.Get("Retry-After") == "" {
				t.Errorf("a full stream = %d %.300s, want 503 overloaded with Retry-After", r.status, r.body)
			}
			break
		}
		if accepted > 10 {
			t.Fatal("256 KiB hold more than ten calls of 100 KiB")
		}
	}
	release()
	for i := range accepted {
		if e := settled(t, s.http(0), "default", fmt.Sprintf("c%d", i)); e.Status != "success" {
			t.Errorf("an accepted call ended as %v", e)
		}
	}
	again := fmt.Sprintf(`{"call_id": "c%d", "tool": "debug.echo", "arguments": {"value": %q}}`, accepted, value)
	eventually(t, "the refused call_id is accepted", func() bool {
		r := s.http(0).ask(t, "default", "execute", nil, `{"calls": [`+again+`]}`)
		return r.status == 200 && decode[answer](t, r).Results[0].Status == "success"
	})
}
