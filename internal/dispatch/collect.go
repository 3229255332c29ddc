package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
)

// watcher waits for the outcome of one call.
type watcher struct {
	result  chan []byte   // the element, when it comes; nil if it must be looked up
	queued  chan struct{} // the queue has acknowledged the call
	refused chan error    // it has not
	awaits  chan string   // the consent that the call waits for
	// consent is the same, once it is known.
	consent string
	// told is set when the event that the call is queued was published.
	told bool
	// handed is when a direct call is to be queued; zero for a call that is queued, or need
	// not be. Declined receives the refusal of a direct call, pace is the pace of its tool;
	// both are nil for calls that are always queued.
	handed   time.Time
	declined chan queue.Refusal
	pace     *pace
	// asked is set if the call was sent to the queue, which has not answered.
	asked bool
	// tries is the number of times the call was sent to the queue.
	tries  int
	forget func()
	// joined is set if another request accepted the call; its dispatcher may have died
	// before the call was queued.
	joined bool
	// missed is set if the result may be stored and was not received here, known if one is
	// stored; looks is the number of reads of the store.
	missed, known bool
	looks         int
	// lone means that no result of the call is stored in a group.
	lone bool
	// ticket counts the call; nil where another dispatcher does.
	ticket *ticket
}

// watch must come before the call is queued, or the result could be missed.
func (d *Dispatcher) watch(e *call.Call, t *ticket) *watcher {
	w := &watcher{
		ticket:  t,
		lone:    !e.Grouped,
		result:  make(chan []byte, 2),
		queued:  make(chan struct{}, 1),
		refused: make(chan error, submitTries),
		awaits:  make(chan string, 1),
	}
	d.inbox.Expect(e.Tenant, e.ID, e.Tool, e.Pool, e.Owner(), w.result, w.awaits)
	w.forget = func() { d.inbox.Forget(e.Tenant, e.ID, w.result) }
	return w
}

// submit queues the call. It does not wait for the acknowledgement, which says
// nothing that a result does not say too, and is not even woken by it.
func (d *Dispatcher) submit(ctx context.Context, e *call.Call, w *watcher) error {
	if len(e.Arguments) > queue.InlineLimit {
		if err := d.Queue.Calls.StoreArguments(ctx, e); err != nil {
			return err
		}
	}
	w.asked = true
	w.tries++
	if !e.Copy {
		d.tellQueued(e, w)
	}
	if e.Lane != queue.Quick {
		d.backlogs.Spilled(e.Pool, e.Lane)
	}
	start, traced := time.Now(), d.Tracing.Enabled()
	if traced {
		e.Traceparent = telemetry.Traceparent(ctx)
	}
	d.Queue.Calls.Submit(e, func(err error) {
		if traced {
			telemetry.EndSpan(ctx)
		}
		if err == nil {
			err = failpoint.Hit(failpoint.DispatcherAfterSubmit)
		}
		if err == nil {
			d.Metrics.Accepted(time.Since(start))
		}
		if err != nil {
			w.refused <- err
			return
		}
		select {
		case w.queued <- struct{}{}:
		default: // a copy was acknowledged before
		}
	})
	return nil
}

// tellQueued publishes once that the call is queued, before the call and on the same
// connection: a quick call must not end before that event.
func (d *Dispatcher) tellQueued(e *call.Call, w *watcher) {
	if !w.told {
		w.told = true
		d.Queue.Events.Tell(queue.ToldOf(e), protocol.EventQueued, nil)
	}
}

// errLate means that the queue did not answer within the time of the request.
var errLate = fmt.Errorf("%w: no acknowledgement came within the time of the request", natsio.ErrUnavailable)

// refused is err, unless an earlier copy of a call whose last copy found no room may
// be queued: then it is not known whether the call was accepted.
func refused(err error, w *watcher) error {
	if errors.Is(err, natsio.ErrFull) && w.tries > 1 {
		// not wrapped: it must not count as ErrFull
		return fmt.Errorf("%w: an earlier copy may be queued: %s", natsio.ErrUnavailable, err.Error())
	}
	return err
}

const (
	// lookEvery is the interval of reads of the stored result, in case the message with
	// it was lost with a connection.
	lookEvery = 5 * time.Second
	// lookMissed is the same for a result that may be stored and was not received here.
	// Every lookIndex-th read asks the index too.
	lookMissed = 250 * time.Millisecond
	lookIndex  = 6
	// lateGrace is the time after its deadline in which the worker may still answer a
	// call, before the dispatcher ends it.
	lateGrace = time.Second
	// submitTries bounds the attempts to queue a call whose acknowledgement did not come.
	submitTries = 4
)

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
	if err := d.copyHanded(ctx, e, w); err != nil {
		return callOutcome{err: err}
	}
	if w.asked {
		select {
		case element := <-w.result:
			if element != nil {
				return callOutcome{element: element}
			}
		case <-w.queued:
		case err := <-w.refused:
			return callOutcome{err: refused(err, w)}
		case <-ctx.Done():
			return callOutcome{err: errLate}
		}
	}
	if !recorded {
		hash, err := schema.Hash(e.Arguments)
		if err != nil {
			return callOutcome{err: err}
		}
		if _, err := d.Queue.Calls.Accept(ctx, e.Tenant, e.ID, acceptance(e, hash, w.lone)); err != nil && !errors.Is(err, natsio.ErrExists) {
			return callOutcome{err: err}
		}
	}
	left := w.ticket != nil && w.consent == "" // a call that awaits a person is not counted
	if left {
		d.shares.leave(w.ticket, e)
	}
	select {
	case element := <-w.result:
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
	return callOutcome{element: pending(refTo(e, w.lone), st), left: left}
}

// await waits as long as the request says. It returns false when the time is
// over first, or when a person must decide and the request does not wait for
// that.
func (d *Dispatcher) await(ctx context.Context, req *Request, e *call.Call, w *watcher) (callOutcome, bool) {
	end := req.Began.Add(req.Wait)
	for w.consent == "" || req.ConsentWait {
		timer := time.NewTimer(d.pause(end, e, w))
		select {
		case element := <-w.result:
			timer.Stop()
			d.answered(e, w)
			if element == nil {
				w.known = true
				element = d.look(ctx, e, w)
			}
			if element != nil {
				return callOutcome{element: element}, true
			}
		case err := <-w.refused:
			timer.Stop()
			if errors.Is(err, natsio.ErrFull) || w.tries == submitTries {
				return callOutcome{err: refused(err, w)}, true
			}
			// It may be queued all the same: the copy says so, and the worker
			// looks for the first one's result before it runs this.
			e.Copy = true
			if err := d.submit(ctx, e, w); err != nil {
				return callOutcome{err: err}, true
			}
		case why := <-w.declined:
			timer.Stop()
			if err := d.decline(ctx, e, w, why); err != nil {
				return callOutcome{err: err}, true
			}
		case w.consent = <-w.awaits:
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
	if !w.handed.IsZero() && !now.Before(w.handed) {
		w.pace.late(now)
		return callOutcome{err: d.copyHanded(ctx, e, w)}, false
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
	next := min(time.Until(end), lookEvery)
	if w.missed || w.known {
		next = min(next, lookMissed)
	}
	if late := time.Until(e.StartBy().Add(lateGrace)); late > 0 {
		next = min(next, late)
	}
	if !w.handed.IsZero() {
		next = min(next, time.Until(w.handed))
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
	w.looks++
	where := alone
	switch {
	case w.lone:
		where = lone
	case w.known:
		where = everywhere
	case w.missed || late || w.looks%lookIndex == 0:
		where = indexed
	}
	stored, err := d.stored(ctx, e.Tenant, e.Pool, e.ID, where)
	w.missed = w.missed && err != nil
	if err != nil || stored != nil {
		if stored == nil {
			return nil
		}
		return stored.Element
	}
	if !late {
		return nil
	}
	element, err := d.expire(ctx, refTo(e, w.lone))
	if err != nil {
		return nil
	}
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
		CallID: r.callID, ToolCallID: r.toolCallID, TraceID: r.traceID, Tool: r.tool, Origin: r.via, Status: protocol.StatusPending,
		State: st.state, ConsentID: st.consent, ConnectURL: st.connect,
	})
}
