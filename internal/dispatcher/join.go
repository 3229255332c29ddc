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
	if d.lost(ctx, e) {
		e.Again = true
		if err := d.submit(ctx, e, f); err != nil {
			return flight{err: err}
		}
	} else {
		f.refused = nil
	}
	return d.collect(ctx, req, e, f, true)
}

// joinGrace is how long a dispatcher may take from acceptance to the queue.
const joinGrace = 2 * time.Second

// lost reports whether a call may have been accepted and never queued, because
// its dispatcher died in between. Queueing it again is then safe: within the
// duplicate window the server drops the copy, and after it the worker looks
// for the first one's result.
func (d *Dispatcher) lost(ctx context.Context, e *bus.Envelope) bool {
	if time.Since(e.Accepted()) < joinGrace {
		return false
	}
	h := d.Bus.Probe(ctx, e.Tenant, e.CallID)
	return h == nil || (h.State == bus.StateQueued && h.By == d.Bus.ID())
}
