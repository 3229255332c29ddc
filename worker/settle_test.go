package worker_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/tool"
)

// told is the part of a record that its call's result decides.
func told(r audit.Record) audit.Record {
	return audit.Record{
		AuditID: r.AuditID, Phase: r.Phase, Worker: r.Worker, Attempt: r.Attempt, DurationMS: r.DurationMS, ArgsHash: r.ArgsHash,
		Decision: r.Decision, Result: r.Result,
	}
}

// TestLostWorkersEndIsOnRecord has a call come again that has a result. Whoever
// stored it may have been lost before it was on record.
func TestLostWorkersEndIsOnRecord(t *testing.T) {
	t.Parallel()
	allowed := &audit.Decision{Outcome: audit.Allowed}
	for name, tt := range map[string]struct {
		lost int // deliveries before
		el   bus.Element
		want *audit.Record // nil: there is one already, or somebody else writes it
	}{
		"success": {
			1, bus.Element{Status: bus.StatusSuccess, Worker: "w-lost", Attempt: 1, Result: []byte(`"x"`), DurationMS: 1.5, ArgsHash: "sha256:1"},
			&audit.Record{
				AuditID: "f-c-1", Phase: audit.Finished, Worker: "w-lost", Attempt: 1, DurationMS: 1.5, ArgsHash: "sha256:1", Decision: allowed,
				Result: &audit.Result{Status: "success", Summary: "string of 1 bytes"},
			},
		},
		"large": {
			1, bus.Element{Status: bus.StatusSuccess, Worker: "w-lost", Attempt: 1, ResultRef: &bus.Ref{Object: "o", Size: 300_000}, DurationMS: 1},
			&audit.Record{
				AuditID: "f-c-1", Phase: audit.Finished, Worker: "w-lost", Attempt: 1, DurationMS: 1, Decision: allowed,
				Result: &audit.Result{Status: "success", Summary: "result of 300000 bytes"},
			},
		},
		"failed": {
			2, bus.Element{Status: bus.StatusError, ErrorType: tool.FileNotFound, Message: "m", Worker: "w-lost", Attempt: 2, DurationMS: 0.001},
			&audit.Record{
				AuditID: "f-c-2", Phase: audit.Finished, Worker: "w-lost", Attempt: 2, DurationMS: 0.001, Decision: allowed,
				Result: &audit.Result{Status: "error", ErrorType: "file_not_found"},
			},
		},
		"refused": {
			3, bus.Element{Status: bus.StatusError, ErrorType: tool.PolicyDenied, Message: "not here", Worker: "w-lost", Attempt: 2},
			&audit.Record{
				AuditID: "f-c-2", Phase: audit.Refused, Worker: "w-lost", Attempt: 2,
				Decision: &audit.Decision{Outcome: audit.Blocked, Reason: "not here"}, Result: &audit.Result{Status: "error", ErrorType: "policy_denied"},
			},
		},
		"cancelled while it ran": {
			1, bus.Element{Status: bus.StatusError, ErrorType: tool.Cancelled, Message: "m", Worker: "w-lost", Attempt: 1, DurationMS: 3},
			&audit.Record{
				AuditID: "f-c-1", Phase: audit.Cancelled, Worker: "w-lost", Attempt: 1, DurationMS: 3, Decision: allowed,
				Result: &audit.Result{Status: "error", ErrorType: "cancelled"},
			},
		},
		"given up after every attempt": {
			10, bus.Element{Status: bus.StatusSuccess, Worker: "w-lost", Attempt: 4, Result: []byte(`1`), DurationMS: 1},
			&audit.Record{
				AuditID: "f-c-4", Phase: audit.Finished, Worker: "w-lost", Attempt: 4, DurationMS: 1, Decision: allowed,
				Result: &audit.Result{Status: "success", Summary: "number"},
			},
		},
		"ended by a dispatcher": {1, bus.Element{Status: bus.StatusError, ErrorType: tool.Cancelled, Message: "m"}, nil},
		"ended by a copy":       {1, bus.Element{Status: bus.StatusSuccess, Worker: "w-other", Attempt: 2, Result: []byte(`1`), DurationMS: 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.queue("c", 0)
			w.fail(tt.lost)
			tt.el.CallID = "c"
			w.store(tt.el)
			w.start()
			w.emptied()
			if len(w.entered) > 0 {
				t.Error("a call that has a result was run again")
			}
			var got, want []audit.Record
			for _, r := range w.records() {
				got = append(got, told(r))
			}
			if tt.want != nil {
				want = append(want, *tt.want)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("on record (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEndOfALivingWorkerIsLeftToIt has a call come again that has a result while
// another worker still has it: that one stores the record.
func TestEndOfALivingWorkerIsLeftToIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	asked := make(chan string, 8)
	held := make(chan struct{})
	if err := w.bus.ServeProbe(func(_, callID string) *bus.Held {
		select {
		case asked <- callID:
		default:
		}
		select {
		case <-held:
			return nil
		default:
			return &bus.Held{State: bus.StateRunning, Tool: "look", By: "w-other"}
		}
	}); err != nil {
		t.Fatal(err)
	}
	w.queue("c", 0)
	w.fail(1)
	w.store(bus.Element{CallID: "c", Status: bus.StatusSuccess, Worker: "w-other", Attempt: 1, Result: []byte(`1`), DurationMS: 1})
	w.start()
	bustest.Receive(t, asked, "question who has the call")
	bustest.Receive(t, asked, "question who has the call, at its next delivery")
	if got := w.records(); len(got) != 0 {
		t.Errorf("on record: %+v, want nothing as long as its worker lives", got)
	}
	close(held)
	w.emptied()
	if got := w.records(); len(got) != 1 || got[0].AuditID != "f-c-1" {
		t.Errorf("on record: %+v, want the end once its worker is lost", got)
	}
}

// TestRefusedAgain has a call come again that is refused before anybody looks
// for its earlier end. There is one end of it.
func TestRefusedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.arguments = `[1]`
	w.queue("c", 0)
	w.fail(1)
	w.store(bus.Element{CallID: "c", Status: bus.StatusError, ErrorType: tool.ValidationError, Message: "m", Worker: "w-lost", Attempt: 1})
	w.start()
	w.emptied()
	if got := w.records(); len(got) != 1 || got[0].AuditID != "f-c-1" || got[0].Phase != audit.Refused {
		t.Errorf("on record: %+v, want that its first attempt was refused", got)
	}
}

// TestLateAttemptLeavesNoRecord ends a call by another's word while it runs.
func TestLateAttemptLeavesNoRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.start()
	w.queue("c", 0)
	bustest.Receive(t, w.entered, "call at its tool")
	w.store(bus.Element{CallID: "c", Status: bus.StatusError, ErrorType: tool.Cancelled, Message: "ended by a dispatcher that did not hear of the worker"})
	close(w.leave)
	w.emptied()
	if got := w.records(); len(got) != 0 {
		t.Errorf("on record: %+v, want nothing: whoever ended the call has told", got)
	}
	w.queue("next", 0)
	bustest.Until(t, "the next call is on record", func() bool { return len(w.records()) == 1 })
	if r := w.records()[0]; r.AuditID != "f-next-1" || r.Phase != audit.Finished || r.Detail != "" {
		t.Errorf("on record of a call that nobody disturbed: %+v", r)
	}
}

// TestOvertakenCallIsNotRun starts a worker that never heard of a cancel.
func TestOvertakenCallIsNotRun(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string]bool{"ended": true, "about to be ended by a dispatcher that is lost": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.queue("c", time.Second)
			if _, err := w.bus.Fence(bustest.Context(t), tenant, "c", bus.Fence{By: w.bus.ID(), Ended: string(tool.Cancelled)}); err != nil {
				t.Fatal(err)
			}
			if stored {
				w.store(bus.Element{CallID: "c", Status: bus.StatusError, ErrorType: tool.Cancelled})
			}
			close(w.leave)
			w.start()
			w.emptied()
			if len(w.entered) > 0 {
				t.Error("a cancelled call was run")
			}
			if el := w.result("c"); el.ErrorType != tool.Cancelled {
				t.Errorf("the call ended in %+v, want cancelled", el)
			}
			got := w.records()
			if stored && len(got) != 0 {
				t.Errorf("on record: %+v, want only what the dispatcher wrote", got)
			}
			if !stored && (len(got) != 1 || got[0].Phase != audit.Cancelled) {
				t.Errorf("on record: %+v, want one record that it was cancelled", got)
			}
		})
	}
}
