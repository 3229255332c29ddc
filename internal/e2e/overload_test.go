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
	const effect = `{"call_id": "c%d", "tool": "debug.effect", "arguments": {"key": "k"}}`

	// Every call is accepted, or refused at once: with wait_ms as it is by
	// default, an accepted one would wait for the slot.
	var accepted []string
	var refused element
	for i := 0; refused.CallID == ""; i++ {
		if i == 50 {
			t.Fatalf("50 calls were accepted with a backlog of 5")
		}
		r := d.ask(t, "default", "execute", nil, `{"wait_ms": 0, "calls": [`+fmt.Sprintf(effect, i)+`]}`)
		a := decode[answer](t, r)
		switch e := a.Results[0]; {
		case r.status == 200 && e.Status == "pending":
			accepted = append(accepted, e.CallID)
		case r.status == 503 && a.ErrorType == "overloaded" && r.header.Get("Retry-After") != "":
			refused = e
		default:
			t.Fatalf("execute = %d %s, want pending or overloaded with Retry-After", r.status, r.body)
		}
	}
	wantOverloaded(t, refused)
	if len(accepted) < 3 {
		t.Errorf("only %d calls were accepted with a backlog of 5", len(accepted))
	}

	// Over NATS the element says it all.
	e := execute(t, s.nats(), "default", `{"calls": [`+fmt.Sprintf(effect, 999)+`]}`).Results[0]
	wantOverloaded(t, e)
	// A request of which one call got its answer is no failure.
	got := together(t, d, "default", `{"tool": "nope"}`, echo("1"))
	wantError(t, got[0], "tool_not_found", "nope")
	wantOverloaded(t, got[1])
	// What was refused is not stored.
	wantProblem(t, "a refused call", d.ask(t, "default", "calls.get", map[string]string{"call_id": refused.CallID}, ""), 404, "not_found")
	if got := s.metric(t, `helve_overloaded_total{pool="default"}`); got < 2 {
		t.Errorf("helve_overloaded_total = %v, want every refusal", got)
	}

	release()
	for _, callID := range accepted {
		wantResult(t, settled(t, d, "default", callID), `{"written":true}`)
	}
	again := fmt.Sprintf(`{"call_id": %q, "tool": "debug.effect", "arguments": {"key": "again"}}`, refused.CallID)
	eventually(t, "there is room again", func() bool {
		r := d.ask(t, "default", "execute", nil, `{"calls": [`+again+`]}`)
		return r.status == 200 && decode[answer](t, r).Results[0].Status == "success"
	})
	ledger := s.ledger(t, "default")
	if len(ledger) != len(accepted)+1 || ledger[len(ledger)-1] != "again "+refused.CallID {
		t.Errorf("ledger = %q, want each of %d accepted calls once, then the refused one", ledger, len(accepted))
	}
	for i, callID := range accepted {
		if ledger[i] != "k "+callID {
			t.Errorf("ledger = %q, want the calls in the order accepted", ledger)
		}
	}
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
