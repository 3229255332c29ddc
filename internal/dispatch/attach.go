package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
)

// attach waits for a call that was accepted before, by this dispatcher or
// another: running, finished, or lost between its acceptance and the queue.
func (d *Dispatcher) attach(ctx context.Context, req *Request, e *call.Call, rec *queue.Acceptance, w *watcher) callOutcome {
	w.ticket.end() // the dispatcher that queued the call counts it
	w.ticket = nil
	// It is the accepted call that runs: its trace, its times, its origin.
	if rec.Pool != e.Pool {
		e.Lane, e.Home = "", "" // it was chosen among the workers of another pool
	}
	e.Origin, e.TraceID, e.Pool = rec.Origin, rec.TraceID, rec.Pool
	e.User, e.Agent, e.Conversation, e.Via = rec.User, rec.Agent, rec.Conversation, cmp.Or(rec.Via, e.Via)
	e.AcceptedMS, e.DeadlineMS, e.StartByMS, e.TimeoutMS = rec.AcceptedMS, rec.DeadlineMS, rec.StartByMS, rec.TimeoutMS
	leave, err := w.result.Join(rec)
	if err != nil {
		return callOutcome{err: err}
	}
	defer leave()
	stored, err := d.results.Find(ctx, w.result.Ref())
	if errors.Is(err, natsio.ErrUnavailable) { // a result that cannot be searched is waited for
		return callOutcome{err: err}
	}
	if stored != nil {
		return callOutcome{element: stored.Element}
	}
	w.joined = true
	if st := d.stateOf(ctx, e.Tenant, e.ID, nil); st.consent != "" {
		w.consent = st.consent
	}
	if err := d.repair(ctx, e, w); err != nil {
		return callOutcome{err: err}
	}
	out := d.collect(ctx, req, e, w, true)
	if errors.Is(out.err, natsio.ErrFull) {
		// The copy found no room; whether the call itself is queued only its
		// dispatcher knows.
		out.err = fmt.Errorf("%w: %s", natsio.ErrUnavailable, out.err.Error()) // not wrapped: it must not count as ErrFull
	}
	return out
}

// joinGrace bounds the time from the acceptance of a call to the queue.
const joinGrace = 2 * time.Second

// repair queues a call again that was accepted and perhaps never queued,
// because its dispatcher died in between. That is safe: within the duplicate
// window the server keeps one copy, and the worker looks for an earlier
// attempt before it runs a copy.
func (d *Dispatcher) repair(ctx context.Context, e *call.Call, w *watcher) error {
	if !w.joined || time.Since(e.Accepted()) < joinGrace {
		return nil
	}
	w.joined = false
	if p, _, err := d.consentOf(ctx, e.Tenant, e.ID); p != nil || err != nil {
		return err // it is parked: the service that carries the verdict out queues it
	}
	if waits, err := d.waits(ctx, e); waits || err != nil {
		return err
	}
	if h := d.Queue.Owners.Find(ctx, e.Tenant, e.ID); h != nil && h.By != d.Queue.Conn.ID() && !h.Direct {
		return nil
	}
	e.Copy = true
	return w.sending.Submit(ctx)
}
