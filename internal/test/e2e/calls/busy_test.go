package calls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestQueuedCall(t *testing.T) {
	t.Parallel()
	s, release := system.OneSlot(t, 2)
	everyDoor := map[string]system.Door{"http": s.HTTP(0), "second dispatcher": s.HTTP(1), "nats": s.NATS()}
	events := s.Listen(t, "default")

	// With no wait, or too short a wait.
	for callID, wait := range map[string]string{"c1": "0", "c2": "60"} {
		e := system.Execute(t, s.HTTP(0), "default",
			fmt.Sprintf(`{"wait_ms": %s, "calls": [{"call_id": %q, "tool_call_id": "t", "tool": "debug.effect", "arguments": {"key": "k"}}]}`,
				wait, callID)).Results[0]
		if e.Status != "pending" || e.State != "queued" || e.CallID != callID || e.ToolCallID != "t" || e.Tool != "debug.effect" {
			t.Errorf("wait_ms %s: %+v, want pending queued", wait, e)
		}
		for name, d := range everyDoor {
			if e := system.ByID(t, d, "calls.get", "default", callID); e.Status != "pending" || e.State != "queued" || e.Tool != "debug.effect" {
				t.Errorf("%s: calls.get of a queued call = %+v, want pending queued", name, e)
			}
		}
		if e := system.ByID(t, s.NATS(), "calls.get", "holder", "hold"); e.Status != "pending" || e.State != "running" {
			t.Errorf("calls.get of a running call = %+v, want pending running", e)
		}
		system.WantProblem(t, "result of a queued call", s.HTTP(0).Send(t, "GET", "/v1/calls/"+callID+"/result", "", nil), 404, "not_found")
	}
	release()
	for callID := range map[string]bool{"c1": true, "c2": true} {
		system.WantResult(t, system.Settled(t, s.HTTP(1), "default", callID), `{"written":true}`)
		events.Until("done", callID)
		if n := events.Count("started", callID); n != 1 {
			t.Errorf("%s started %d times, want once", callID, n)
		}
	}
	if got := s.Ledger(t, "default"); len(got) != 2 {
		t.Errorf("ledger = %q, want one line for each call", got)
	}
}

// TestDeadlineCountsTheQueue: a call whose deadline passes before a worker is free ends in
// timeout and never runs, even when the worker is free again.
func TestDeadlineCountsTheQueue(t *testing.T) {
	t.Parallel()
	s, release := system.OneSlot(t, 1)
	events := s.Listen(t, "default")
	var calls []string
	for i, timeout := range []string{"1", "0.000001", "50"} {
		calls = append(calls, fmt.Sprintf(`{"call_id": "c%d", "tool": "debug.effect", "timeout_ms": %s, "arguments": {"key": "k"}}`, i, timeout))
	}
	for i, e := range system.Together(t, s.HTTP(0), "default", calls...) {
		system.WantError(t, e, "timeout", "did not run")
		system.WantError(t, system.ByID(t, s.HTTP(0), "calls.get", "default", fmt.Sprintf("c%d", i)), "timeout", "did not run")
	}
	release()
	system.WantResult(t, system.One(t, s.HTTP(0), "default", `{"call_id": "after", "tool": "debug.effect", "arguments": {"key": "after"}}`),
		`{"written":true}`)
	events.Until("done", "after")
	s.WantLedger(t, "default", "after after")
	for i := range calls {
		system.WantError(t, system.One(t, s.NATS(), "default", calls[i]), "timeout", "did not run")
	}
	s.WantLedger(t, "default", "after after")
}

func TestCancelBeforeStart(t *testing.T) {
	t.Parallel()
	s, release := system.OneSlot(t, 2)
	doors := []system.Door{s.HTTP(0), s.HTTP(1), s.NATS()}
	for i, d := range doors {
		callID := fmt.Sprintf("c%d", i)
		system.Enqueue(t, s.HTTP(0), "default",
			fmt.Sprintf(`{"call_id": %q, "tool_call_id": "t", "tool": "debug.effect", "arguments": {"key": "k"}}`, callID))
		for range 2 {
			e := system.ByID(t, d, "calls.cancel", "default", callID)
			system.WantError(t, e, "cancelled", "did nothing")
			if e.State != "done" || e.ToolCallID != "t" {
				t.Errorf("cancelled call = %+v, want state done and its tool_call_id", e)
			}
		}
		system.WantError(t, system.ByID(t, s.HTTP(1), "calls.get", "default", callID), "cancelled", "did nothing")
	}
	release()
	system.WantResult(t, system.One(t, s.HTTP(0), "default", `{"call_id": "after", "tool": "debug.effect", "arguments": {"key": "after"}}`),
		`{"written":true}`)
	s.WantLedger(t, "default", "after after")
}

// TestCancelAnswersWhoWaits: a waiting caller receives the cancellation by another caller,
// before the call started and by its generated call_id.
func TestCancelAnswersWhoWaits(t *testing.T) {
	t.Parallel()
	s, release := system.OneSlot(t, 2)
	events := s.Listen(t, "default")
	waiting := make(chan system.Element, 1)
	go func() {
		defer close(waiting) // even if it failed
		waiting <- system.One(t, s.HTTP(0), "default", `{"tool": "debug.effect", "arguments": {"key": "k"}}`)
	}()
	var made string
	for made == "" {
		if e := events.Next(); e.Type == "queued" {
			made = e.CallID
		}
	}
	system.WantError(t, system.ByID(t, s.HTTP(1), "calls.cancel", "default", made), "cancelled", "did nothing")
	system.WantError(t, system.Receive(t, "the waiting caller has an answer", waiting), "cancelled", "did nothing")
	release()
	if got := strings.Join(s.Ledger(t, "default"), ""); got != "" {
		t.Errorf("ledger = %q, want nothing", got)
	}
}

// TestCancelledCallNeverRuns: not even on a worker that starts later and missed the
// cancellation.
func TestCancelledCallNeverRuns(t *testing.T) {
	t.Parallel()
	s, release := system.OneSlot(t, 1)
	defer release()
	const write = `{"call_id": "c1", "tool": "write_file", "arguments": {"path": "a.txt", "content": "x"}}`
	system.Enqueue(t, s.HTTP(0), "default", write)
	system.WantError(t, system.ByID(t, s.HTTP(0), "calls.cancel", "default", "c1"), "cancelled", "did nothing")
	if _, err := s.AddWorker(); err != nil {
		t.Fatal(err)
	}
	// The queue is in order: once the next call is done this one was taken.
	system.WantResult(t, system.One(t, s.HTTP(0), "default", system.EchoCall("1")), "1")
	system.Eventually(t, "only the holder is in the queue", func() bool {
		info, err := s.Stream(t, "HELVE_CALLS").Info(t.Context())
		return err == nil && info.State.Msgs == 1
	})
	system.WantError(t, system.One(t, s.HTTP(0), "default", `{"tool": "read_file", "arguments": {"path": "a.txt"}}`), "file_not_found", "")
	system.WantError(t, system.One(t, s.HTTP(0), "default", write), "cancelled", "did nothing")
}
