package dispatcher

import (
	"context"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/failpoint"
	"github.com/helve-dev/helve/internal/schema"
)

// watcher waits for what becomes of one call.
type watcher struct {
	result  chan []byte   // the element, when it comes
	queued  chan struct{} // the queue has acknowledged the call
	refused chan error    // it has not
	awaits  chan string   // the consent that the call waits for
	// consent is the same, once it is known.
	consent string
	// asked says that the queue was asked and has not answered.
	asked  bool
	forget func()
	// joined says that somebody else accepted the call, and may have died
	// before it was queued.
	joined bool
}

// watch must come before the call is queued, or the result could be missed.
func (d *Dispatcher) watch(e *bus.Envelope) *watcher {
	f := &watcher{result: make(chan []byte, 2), queued: make(chan struct{}, 1), refused: make(chan error, submitTries), awaits: make(chan string, 1)}
	d.inbox.Expect(e.Tenant, e.CallID, e.Tool, f.result, f.awaits)
	f.forget = func() { d.inbox.Forget(e.Tenant, e.CallID, f.result) }
	return f
}

// submit queues the call. It does not wait for the acknowledgement, which says
// nothing that a result does not say too, and is not even woken by it.
func (d *Dispatcher) submit(ctx context.Context, e *bus.Envelope, f *watcher) error {
	if len(e.Arguments) > bus.InlineLimit {
		if err := d.Bus.StoreArguments(ctx, e); err != nil {
			return err
		}
	}
	f.asked = true
	if !e.Again {
		// Told first, on the same connection: a quick call must not be done
		// before anybody heard that it was queued.
		d.Bus.Tell(e.Tenant, e.TraceID, e.CallID, e.Tool, bus.EventQueued, nil)
	}
	start := time.Now()
	d.Bus.Submit(e, func(err error) {
		if err == nil {
			err = failpoint.Hit(failpoint.DispatcherAfterSubmit)
		}
		if err == nil {
			d.Metrics.Accepted(time.Since(start))
		}
		if err != nil {
			f.refused <- err
			return
		}
		select {
		case f.queued <- struct{}{}:
		default: // a copy was acknowledged before
		}
	})
	return nil
}

const (
	// lookEvery is how often the stored result is looked for, in case the
	// message that carried it was lost with a connection.
	lookEvery = 5 * time.Second
	// lateGrace is how long after its deadline a call may still be answered by
	// its worker before the dispatcher ends it.
	lateGrace = time.Second
	// submitTries bounds how often a call is queued whose acknowledgement did
	// not come.
	submitTries = 4
)

// collect waits for the result of a queued call until req.Wait is over.
// Recorded says that the call's acceptance is stored.
func (d *Dispatcher) collect(ctx context.Context, req *Request, e *bus.Envelope, f *watcher, recorded bool) flight {
	if req.Wait > 0 {
		if fl, done := d.await(ctx, req, e, f); done {
			return fl
		}
	}
	// Nothing is called accepted before the queue has said so, and a call that
	// is answered as pending must be found by any dispatcher.
	ctx = context.WithoutCancel(ctx)
	if f.asked {
		select {
		case element := <-f.result:
			return flight{element: element}
		case <-f.queued:
		case err := <-f.refused:
			return flight{err: err}
		}
	}
	if !recorded {
		hash, err := schema.Hash(e.Arguments)
		if err != nil {
			return flight{err: err}
		}
		if _, err := d.Bus.Accept(ctx, e.Tenant, e.CallID, acceptance(e, hash)); err != nil && !errors.Is(err, bus.ErrExists) {
			return flight{err: err}
		}
	}
	select {
	case element := <-f.result:
		return flight{element: element}
	default:
	}
	st := standing{state: bus.StateQueued}
	switch {
	case f.consent != "" && !req.ConsentWait:
		st = standing{bus.StateAwaitingConsent, f.consent}
	case req.Wait > 0:
		st = d.standing(ctx, e.Tenant, e.CallID, d.Bus.Probe(ctx, e.Tenant, e.CallID))
	}
	return flight{element: pending(e.CallID, e.ToolCallID, e.TraceID, e.Tool, st)}
}

// await waits as long as the request says. It returns false when the time is
// over first, or when a person must decide and the request does not wait for
// that.
func (d *Dispatcher) await(ctx context.Context, req *Request, e *bus.Envelope, f *watcher) (flight, bool) {
	end := time.Now().Add(req.Wait)
	tries := 1
	for f.consent == "" || req.ConsentWait {
		timer := time.NewTimer(d.pause(end, e, f))
		select {
		case element := <-f.result:
			timer.Stop()
			return flight{element: element}, true
		case err := <-f.refused:
			timer.Stop()
			if errors.Is(err, bus.ErrFull) || tries == submitTries {
				return flight{err: err}, true
			}
			// It may be queued all the same: the copy says so, and the worker
			// looks for the first one's result before it runs this.
			tries++
			e.Again = true
			if err := d.submit(ctx, e, f); err != nil {
				return flight{err: err}, true
			}
		case f.consent = <-f.awaits:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return flight{}, false
		case <-d.drain:
			timer.Stop()
			return flight{}, false
		case <-timer.C:
			if element := d.look(ctx, e); element != nil {
				return flight{element: element}, true
			}
			if !time.Now().Before(end) {
				return flight{}, false
			}
			d.lookParked(ctx, e, f)
			if err := d.repair(ctx, e, f); err != nil {
				return flight{err: err}, true
			}
		}
	}
	return flight{}, false
}

// pause is how long nothing needs to be looked at.
func (d *Dispatcher) pause(end time.Time, e *bus.Envelope, f *watcher) time.Duration {
	next := min(time.Until(end), lookEvery)
	if late := time.Until(e.StartBy().Add(lateGrace)); late > 0 {
		next = min(next, late)
	}
	if f.joined {
		next = min(next, time.Until(e.Accepted().Add(joinGrace)))
	}
	return max(next, 0)
}

// look reads the stored result of a call that is overdue or may have been
// missed; a call that is past its time and held by nobody is ended.
func (d *Dispatcher) look(ctx context.Context, e *bus.Envelope) []byte {
	stored, err := d.Bus.Result(ctx, e.Tenant, e.CallID)
	if err != nil || stored != nil {
		if stored == nil {
			return nil
		}
		return stored.Element
	}
	if time.Now().Before(e.StartBy().Add(lateGrace)) {
		return nil
	}
	element, err := d.expire(ctx, ref{e.Tenant, e.CallID, e.ToolCallID, e.TraceID, e.Tool, e.Origin, e.User, e.Agent, e.Conversation})
	if err != nil {
		return nil
	}
	return element
}

// lookParked looks whether the call awaits a person, in case the word of it was
// lost.
func (d *Dispatcher) lookParked(ctx context.Context, e *bus.Envelope, f *watcher) {
	if f.consent == "" {
		f.consent = d.standing(ctx, e.Tenant, e.CallID, nil).consent
	}
}

func pending(callID, toolCallID, traceID, name string, st standing) []byte {
	return encode(&bus.Element{
		CallID: callID, ToolCallID: toolCallID, TraceID: traceID, Tool: name, Status: bus.StatusPending,
		State: st.state, ConsentID: st.consent,
	})
}
