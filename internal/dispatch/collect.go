package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/dispatch/route"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/protocol"
)

// watcher follows one call until its outcome.
type watcher struct {
	result  *results.Awaiting
	sending *route.Sending
	// consent is that which the call waits for, once it is known.
	consent string
	// joined is set if another request accepted the call; its dispatcher may have died
	// before the call was queued.
	joined bool
	// ticket counts the call; nil where another dispatcher does.
	ticket *ticket
}

// watch must come before the call is queued, or the result could be missed.
func (d *Dispatcher) watch(e *call.Call, t *ticket) *watcher {
	w := &watcher{ticket: t, result: d.results.Await(e)}
	w.sending = d.router.Sending(e, w.result.C)
	return w
}

// lateGrace is the time after its deadline in which the worker may still answer a
// call, before the dispatcher ends it.
const lateGrace = time.Second

// collect waits for the result of a queued call until req.Wait is over.
// Recorded is set if the call's acceptance is stored.
func (d *Dispatcher) collect(ctx context.Context, req *Request, e *call.Call, w *watcher, recorded bool) callOutcome {
	end := req.until()
	if req.Wait > 0 {
		if out, done := d.await(ctx, req, e, w); done {
			return out
		}
	}
	// Nothing is called accepted before the queue has said so, and a call that
	// is answered as pending must be found by any dispatcher.
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), end)
	defer cancel()
	if err := w.sending.Queue(ctx); err != nil {
		return callOutcome{err: err}
	}
	if element, err := w.sending.Confirm(ctx, w.result.C); element != nil || err != nil {
		return callOutcome{element: element, err: err}
	}
	if !recorded {
		hash, err := schema.Hash(e.Arguments)
		if err != nil {
			return callOutcome{err: err}
		}
		if _, err := d.Queue.Calls.Accept(ctx, e.Tenant, e.ID, acceptance(e, w.result.Ref(), hash)); err != nil &&
			!errors.Is(err, natsio.ErrExists) {
			return callOutcome{err: err}
		}
	}
	left := w.ticket != nil && w.consent == "" // a call that awaits a person is not counted
	if left {
		d.shares.leave(w.ticket, e)
	}
	select {
	case element := <-w.result.C:
		if element != nil {
			return callOutcome{element: element}
		}
	default:
	}
	st := callState{state: protocol.StateQueued}
	switch {
	case w.consent != "" && !req.ConsentWait:
		st = d.awaitingUnder(ctx, e.Tenant, e.ID, w.consent)
	case req.Wait > 0:
		st = d.stateOf(ctx, e.Tenant, e.ID, d.Queue.Owners.Find(ctx, e.Tenant, e.ID))
	}
	return callOutcome{element: pending(refTo(e, w.result.Ref()), st), left: left}
}

// await waits as long as the request says. It returns false when the time is
// over first, or when a person must decide and the request does not wait for
// that.
func (d *Dispatcher) await(ctx context.Context, req *Request, e *call.Call, w *watcher) (callOutcome, bool) {
	end := req.Began.Add(req.Wait)
	for w.consent == "" || req.ConsentWait {
		timer := time.NewTimer(d.pause(end, e, w))
		select {
		case got := <-w.result.C:
			timer.Stop()
			w.sending.Answered()
			if element := w.result.Read(ctx, got); element != nil {
				return callOutcome{element: element}, true
			}
		case failed := <-w.sending.Failed:
			timer.Stop()
			if err := w.sending.Again(ctx, failed); err != nil {
				return callOutcome{err: err}, true
			}
		case w.consent = <-w.result.Consents:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return callOutcome{}, false
		case <-d.drain:
			timer.Stop()
			return callOutcome{}, false
		case now := <-timer.C:
			if out, over := d.check(ctx, e, w, now, end); over || out.err != nil || out.element != nil {
				return out, !over
			}
		}
	}
	return callOutcome{}, false
}

// check does what is due of a call without a result. It returns true if the time of the
// request is over, and an outcome if the call has one.
func (d *Dispatcher) check(ctx context.Context, e *call.Call, w *watcher, now, end time.Time) (callOutcome, bool) {
	if due := w.sending.Due(); !due.IsZero() && !now.Before(due) {
		return callOutcome{err: w.sending.Late(ctx, now)}, false
	}
	if element := d.look(ctx, e, w); element != nil {
		return callOutcome{element: element}, false
	}
	if !time.Now().Before(end) {
		return callOutcome{}, true
	}
	d.lookParked(ctx, e, w)
	return callOutcome{err: d.repair(ctx, e, w)}, false
}

// pause returns the time until the next check.
func (d *Dispatcher) pause(end time.Time, e *call.Call, w *watcher) time.Duration {
	next := min(time.Until(end), w.result.Pause())
	if late := time.Until(e.StartBy().Add(lateGrace)); late > 0 {
		next = min(next, late)
	}
	if due := w.sending.Due(); !due.IsZero() {
		next = min(next, time.Until(due))
	}
	if w.joined {
		next = min(next, time.Until(e.Accepted().Add(joinGrace)))
	}
	return max(next, 0)
}

// look reads the stored result of a call that is overdue or may have been
// missed; a call that is past its time and held by nobody is ended.
func (d *Dispatcher) look(ctx context.Context, e *call.Call, w *watcher) []byte {
	late := time.Now().After(e.StartBy().Add(lateGrace))
	element, err := w.result.Look(ctx, late)
	if element != nil || err != nil || !late {
		return element
	}
	element, _ = d.expire(ctx, refTo(e, w.result.Ref())) // it is tried again
	return element
}

// lookParked looks whether the call awaits a person, in case the word of it was
// lost.
func (d *Dispatcher) lookParked(ctx context.Context, e *call.Call, w *watcher) {
	if w.consent == "" {
		w.consent = d.stateOf(ctx, e.Tenant, e.ID, nil).consent
	}
}

func pending(r ref, st callState) []byte {
	return encode(&protocol.Result{
		CallID: r.CallID, ToolCallID: r.toolCallID, TraceID: r.traceID, Tool: r.tool, Origin: r.via, Status: protocol.StatusPending,
		State: st.state, ConsentID: st.consent, ConnectURL: st.connect, WaitingFor: st.waits,
	})
}
