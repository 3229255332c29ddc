package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
)

// oneSlot is a system whose only worker runs one call at a time, with a call
// that keeps it busy until release.
func oneSlot(t *testing.T, dispatchers int) (s *system, release func()) {
	t.Helper()
	s = launch(t, plan{dispatchers: dispatchers, config: func(c *config.Config) { c.Worker.Slots = 1 }})
	return s, s.occupy(t, "hold")
}

// occupy keeps a slot busy until release.
func (s *system) occupy(t *testing.T, callID string) (release func()) {
	t.Helper()
	events := s.listen(t, "holder")
	queue(t, s.nats(), "holder", fmt.Sprintf(`{"call_id": %q, "tool": "debug.sleep", "arguments": {"ms": 600000}}`, callID))
	events.until("started", callID)
	return func() {
		t.Helper()
		wantError(t, byID(t, s.nats(), "calls.cancel", "holder", callID), "cancelled", "")
	}
}

func TestQueuedCall(t *testing.T) {
	t.Parallel()
	s, release := oneSlot(t, 2)
	everyDoor := map[string]door{"http": s.http(0), "second dispatcher": s.http(1), "nats": s.nats()}
	events := s.listen(t, "default")

	// Asked to wait not at all, or too short.
	for callID, wait := range map[string]string{"c1": "0", "c2": "60"} {
		e := execute(t, s.http(0), "default", fmt.Sprintf(`{"wait_ms": %s, "calls": [{"call_id": %q, "tool_call_id": "t", "tool": "debug.effect", "arguments": {"key": "k"}}]}`, wait, callID)).Results[0]
		if e.Status != "pending" || e.State != "queued" || e.CallID != callID || e.ToolCallID != "t" || e.Tool != "debug.effect" {
			t.Errorf("wait_ms %s: %+v, want pending queued", wait, e)
		}
		for name, d := range everyDoor {
			if e := byID(t, d, "calls.get", "default", callID); e.Status != "pending" || e.State != "queued" || e.Tool != "debug.effect" {
				t.Errorf("%s: calls.get of a queued call = %+v, want pending queued", name, e)
			}
		}
		if e := byID(t, s.nats(), "calls.get", "holder", "hold"); e.Status != "pending" || e.State != "running" {
			t.Errorf("calls.get of a running call = %+v, want pending running", e)
		}
		wantProblem(t, "result of a queued call", s.http(0).send(t, "GET", "/v1/calls/"+callID+"/result", "", nil), 404, "not_found")
	}
	release()
	for callID := range map[string]bool{"c1": true, "c2": true} {
		wantResult(t, settled(t, s.http(1), "default", callID), `{"written":true}`)
		events.until("done", callID)
		if n := events.count("started", callID); n != 1 {
			t.Errorf("%s started %d times, want once", callID, n)
		}
	}
	if got := s.ledger(t, "default"); len(got) != 2 {
		t.Errorf("ledger = %q, want one line for each call", got)
	}
}

// TestDeadlineCountsTheQueue: a call whose time is over before a worker is free
// ends in timeout and never runs, not even when the worker is free again.
func TestDeadlineCountsTheQueue(t *testing.T) {
	t.Parallel()
	s, release := oneSlot(t, 1)
	events := s.listen(t, "default")
	var calls []string
	for i, timeout := range []string{"1", "0.000001", "50"} {
		calls = append(calls, fmt.Sprintf(`{"call_id": "c%d", "tool": "debug.effect", "timeout_ms": %s, "arguments": {"key": "k"}}`, i, timeout))
	}
	for i, e := range together(t, s.http(0), "default", calls...) {
		wantError(t, e, "timeout", "did not run")
		wantError(t, byID(t, s.http(0), "calls.get", "default", fmt.Sprintf("c%d", i)), "timeout", "did not run")
	}
	release()
	wantResult(t, one(t, s.http(0), "default", `{"call_id": "after", "tool": "debug.effect", "arguments": {"key": "after"}}`), `{"written":true}`)
	events.until("done", "after")
	s.wantLedger(t, "default", "after after")
	for i := range calls {
		wantError(t, one(t, s.nats(), "default", calls[i]), "timeout", "did not run")
	}
	s.wantLedger(t, "default", "after after")
}

func TestCancelBeforeStart(t *testing.T) {
	t.Parallel()
	s, release := oneSlot(t, 2)
	doors := []door{s.http(0), s.http(1), s.nats()}
	for i, d := range doors {
		callID := fmt.Sprintf("c%d", i)
		queue(t, s.http(0), "default", fmt.Sprintf(`{"call_id": %q, "tool_call_id": "t", "tool": "debug.effect", "arguments": {"key": "k"}}`, callID))
		for range 2 {
			e := byID(t, d, "calls.cancel", "default", callID)
			wantError(t, e, "cancelled", "did nothing")
			if e.State != "done" || e.ToolCallID != "t" {
				t.Errorf("cancelled call = %+v, want state done and its tool_call_id", e)
			}
		}
		wantError(t, byID(t, s.http(1), "calls.get", "default", callID), "cancelled", "did nothing")
	}
	release()
	wantResult(t, one(t, s.http(0), "default", `{"call_id": "after", "tool": "debug.effect", "arguments": {"key": "after"}}`), `{"written":true}`)
	s.wantLedger(t, "default", "after after")
}

// TestCancelAnswersWhoWaits: whoever waits for a call hears that another
// cancelled it, before it started and by its made call_id.
func TestCancelAnswersWhoWaits(t *testing.T) {
	t.Parallel()
	s, release := oneSlot(t, 2)
	events := s.listen(t, "default")
	waiting := make(chan element, 1)
	go func() {
		defer close(waiting) // also when it failed
		waiting <- one(t, s.http(0), "default", `{"tool": "debug.effect", "arguments": {"key": "k"}}`)
	}()
	var made string
	for made == "" {
		if e := events.next(); e.Type == "queued" {
			made = e.CallID
		}
	}
	wantError(t, byID(t, s.http(1), "calls.cancel", "default", made), "cancelled", "did nothing")
	wantError(t, <-waiting, "cancelled", "did nothing")
	release()
	if got := strings.Join(s.ledger(t, "default"), ""); got != "" {
		t.Errorf("ledger = %q, want nothing", got)
	}
}

// TestCancelledCallNeverRuns, not even at a worker that starts later and was
// never told.
func TestCancelledCallNeverRuns(t *testing.T) {
	t.Parallel()
	s, release := oneSlot(t, 1)
	defer release()
	const write = `{"call_id": "c1", "tool": "write_file", "arguments": {"path": "a.txt", "content": "x"}}`
	queue(t, s.http(0), "default", write)
	wantError(t, byID(t, s.http(0), "calls.cancel", "default", "c1"), "cancelled", "did nothing")
	if _, err := s.addWorker(); err != nil {
		t.Fatal(err)
	}
	// The queue is in order: when the next call is done this one was taken.
	wantResult(t, one(t, s.http(0), "default", echo("1")), "1")
	eventually(t, "only the holder is in the queue", func() bool {
		info, err := s.stream(t, "HELVE_CALLS").Info(t.Context())
		return err == nil && info.State.Msgs == 1
	})
	wantError(t, one(t, s.http(0), "default", `{"tool": "read_file", "arguments": {"path": "a.txt"}}`), "file_not_found", "")
	wantError(t, one(t, s.http(0), "default", write), "cancelled", "did nothing")
}
