package dispatcher

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/bus"
)

// join waits for a call that somebody accepted before: this dispatcher or
// another, running, finished, or lost between its acceptance and the queue.
func (d *Dispatcher) join(ctx context.Context, req *Request, e *bus.Envelope, rec *bus.Acceptance, f *watcher) flight {
	// It is the accepted call that runs: its trace, its times, its origin.
	e.Origin, e.TraceID, e.Pool = rec.Origin, rec.TraceID, rec.Pool
	e.User, e.Agent, e.Conversation = rec.User, rec.Agent, rec.Conversation
	e.AcceptedMS, e.DeadlineMS, e.StartByMS, e.TimeoutMS = rec.AcceptedMS, rec.DeadlineMS, rec.StartByMS, rec.TimeoutMS
	stop, err := d.inbox.Follow(e.Tenant, e.Origin, e.CallID)
	if err != nil {
		return flight{err: err}
	}
	defer stop()
	stored, err := d.Bus.Result(ctx, e.Tenant, e.CallID)
	if err != nil {
		return flight{err: err}
	}
	if stored != nil {
		return flight{element: stored.Element}
	}
	f.joined = true
	if st := d.standing(ctx, e.Tenant, e.CallID, nil); st.consent != "" {
		f.consent = st.consent
	}
	if err := d.repair(ctx, e, f); err != nil {
		return flight{err: err}
	}
	return d.collect(ctx, req, e, f, true)
}

// joinGrace is how long a dispatcher may take from acceptance to the queue.
const joinGrace = 2 * time.Second

// repair queues a call again that was accepted and perhaps never queued,
// because its dispatcher died in between. That is safe: within the duplicate
// window the server keeps one copy, and the worker looks for an earlier
// attempt before it runs a copy.
func (d *Dispatcher) repair(ctx context.Context, e *bus.Envelope, f *watcher) error {
	if !f.joined || time.Since(e.Accepted()) < joinGrace {
		return nil
	}
	f.joined = false
	if p, _, err := d.consentOf(ctx, e.Tenant, e.CallID); p != nil || err != nil {
		return err // it is data: whoever carries the verdict out queues it
	}
	if h := d.Bus.Probe(ctx, e.Tenant, e.CallID); h != nil && h.By != d.Bus.ID() {
		return nil
	}
	e.Again = true
	return d.submit(ctx, e, f)
}
