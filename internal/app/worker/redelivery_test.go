package worker_test

import (
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestEndedCallComesAgain has a call come again that has a result, whose worker was lost
// before the queue let go of it. The result has its record with it, so nothing is left
// to do, also while another worker is still said to have the call.
func TestEndedCallComesAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lost int // deliveries before
		el   protocol.Result
	}{
		"success":                      {1, protocol.Result{Status: protocol.StatusSuccess, Worker: "w-lost", Attempt: 1, Result: []byte(`"x"`)}},
		"given up after every attempt": {10, protocol.Result{Status: protocol.StatusSuccess, Worker: "w-lost", Attempt: 4, Result: []byte(`1`)}},
		"ended by a dispatcher":        {1, protocol.Result{Status: protocol.StatusError, ErrorType: tool.Cancelled, Message: "m"}},
		"ended by a copy":              {1, protocol.Result{Status: protocol.StatusSuccess, Worker: "w-other", Attempt: 2, Result: []byte(`1`)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.enqueue("c", 0)
			w.fail(tt.lost)
			tt.el.CallID = "c"
			w.store(tt.el)
			w.start()
			w.emptied()
			if len(w.entered) > 0 {
				t.Error("a call that has a result was run again")
			}
			if got := w.records(); len(got) != 0 {
				t.Errorf("on record: %+v, want nothing but what was stored with the result", got)
			}
		})
	}
}

// TestStaleWorker: two workers run one call, before and after a restart of NATS. The
// first result is the call's, and its record is the only final one.
func TestStaleWorker(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"before a restart of NATS": false, "after a restart of NATS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.start()
			w.enqueue("c", 0)
			queuetest.Receive(t, w.entered, "call at its tool")
			first := protocol.Result{
				CallID:  "c",
				Tool:    "look",
				State:   protocol.StateDone,
				Status:  protocol.StatusSuccess,
				Worker:  "w-other",
				Attempt: 2,
				Result:  []byte(`"other"`),
			}
			data, err := call.EncodeResult(&first)
			if err != nil {
				t.Fatal(err)
			}
			tr := trail.Writer{Queue: w.queue, Metrics: telemetry.NewMetrics(), Log: zap.NewNop()}
			record := &protocol.AuditRecord{ID: "f-c-2", Phase: protocol.AuditFinished, Tenant: tenant, CallID: "c", Tool: "look"}
			if err := tr.End(queuetest.Context(t), "default", w.queue.Conn.ID(), data, record); err != nil {
				t.Fatal(err)
			}
			if restart {
				w.restart()
			}
			close(w.leave)
			w.emptied()
			if got := w.records(); len(got) != 1 || got[0].ID != "f-c-2" {
				t.Errorf("on record: %+v, want the end of the first attempt to store one", got)
			}
			if el := w.result("c"); el.Worker != "w-other" {
				t.Errorf("the result is %+v, want the first one", el)
			}
		})
	}
}

// TestRefusedAgain has a call come again that is refused before anybody looks
// for its earlier end. There is one end of it.
func TestRefusedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.arguments = `[1]`
	w.enqueue("c", 0)
	w.fail(1)
	w.store(protocol.Result{
		CallID:    "c",
		Status:    protocol.StatusError,
		ErrorType: tool.ValidationError,
		Message:   "m",
		Worker:    "w-lost",
		Attempt:   1,
	})
	w.start()
	w.emptied()
	if got := w.records(); len(got) != 0 {
		t.Errorf("on record: %+v, want nothing but what was stored with the first refusal", got)
	}
}

// TestLateAttemptLeavesNoRecord ends a call by another's word while it runs.
func TestLateAttemptLeavesNoRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.start()
	w.enqueue("c", 0)
	queuetest.Receive(t, w.entered, "call at its tool")
	w.store(protocol.Result{
		CallID:    "c",
		Status:    protocol.StatusError,
		ErrorType: tool.Cancelled,
		Message:   "ended by a dispatcher that did not hear of the worker",
	})
	close(w.leave)
	w.emptied()
	if got := w.records(); len(got) != 0 {
		t.Errorf("on record: %+v, want nothing: whoever ended the call has told", got)
	}
	w.enqueue("next", 0)
	queuetest.Until(t, "the next call is on record", func() bool { return len(w.records()) == 1 })
	if r := w.records()[0]; r.ID != "f-next-1" || r.Phase != protocol.AuditFinished || r.Detail != "" {
		t.Errorf("on record of a call that nobody disturbed: %+v", r)
	}
}

// TestOvertakenCallIsNotRun starts a worker that never received a cancel.
func TestOvertakenCallIsNotRun(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string]bool{"ended": true, "about to be ended by a dispatcher that is lost": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.enqueue("c", time.Second)
			if _, err := w.queue.Calls.Fence(queuetest.Context(t), tenant, "c", call.Fence{
				By: w.queue.Conn.ID(), Ended: string(tool.Cancelled),
			}); err != nil {
				t.Fatal(err)
			}
			if stored {
				w.store(protocol.Result{CallID: "c", Status: protocol.StatusError, ErrorType: tool.Cancelled})
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
			if !stored && (len(got) != 1 || got[0].Phase != protocol.AuditCancelled) {
				t.Errorf("on record: %+v, want one record that it was cancelled", got)
			}
		})
	}
}

// TestStartedCallIsNotEndedAsIdle delivers a call whose earlier delivery has started it, as
// the first: a server that is killed may lose the count. The call has come too late to
// run, and must not end as if it did nothing.
func TestStartedCallIsNotEndedAsIdle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.enqueue("c", 2*time.Minute)
	if _, err := w.queue.Calls.Fence(queuetest.Context(t), tenant, "c", call.Fence{By: "w-lost", Attempt: 1}); err != nil {
		t.Fatal(err)
	}
	close(w.leave)
	w.start()
	w.emptied()
	if el := w.result("c"); el.ErrorType != tool.OutcomeUnknown {
		t.Errorf("the call ended in %+v, want outcome_unknown", el)
	}
}
