package route

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
)

// Options are the parts that a [Router] uses.
type Options struct {
	Queue    *queue.Queue
	Inbox    *queue.Inbox
	Backlogs *queue.Backlogs
	Metrics  *telemetry.Metrics
	Tracing  *telemetry.Tracing
	// DirectUnder is the longest that a quick call takes, with the queue; with 0 no call is
	// direct. DirectWait is the time in which the result of a direct call must be received.
	DirectUnder, DirectWait time.Duration
}

// Router hands calls over to workers. It is safe for concurrent use.
type Router struct {
	Options
	paces paces
}

// New returns a router.
func New(o Options) *Router { return &Router{Options: o} }

// Sending is the handing over of one call. It is for one goroutine.
type Sending struct {
	// Queued receives when the queue has acknowledged the call, Failed why it was not handed
	// over: [Sending.Again].
	Queued chan struct{}
	Failed chan error

	router *Router
	call   *call.Call
	result chan<- []byte
	state  state
	// tries is the number of times the call was handed over.
	tries int
	// due is when a direct call is to be queued; pace is that of its tool, nil for a call
	// that is never direct.
	due  time.Time
	pace *pace
}

// state is where a call is.
type state uint8

const (
	// unsent: nowhere.
	unsent state = iota
	// withWorker: a worker may be running it, and it is not queued.
	withWorker
	// answered: the worker that it was handed to has run it.
	answered
	// submitted: it was sent to the queue.
	submitted
)

// submitTries bounds the attempts to queue a call whose acknowledgement did not come.
const submitTries = 4

// Sending returns the handing over of a call whose result is sent to result.
func (r *Router) Sending(c *call.Call, result chan<- []byte) *Sending {
	return &Sending{
		Queued: make(chan struct{}, 1), Failed: make(chan error, submitTries+1), router: r, call: c, result: result,
	}
}

// Send hands the call to a worker, or queues it. The event that it is queued is published
// before it and on the same connection: a quick call must not end before that.
func (s *Sending) Send(ctx context.Context, o Offer) error {
	if err := s.moveOut(ctx); err != nil {
		return err
	}
	if !s.call.Copy {
		s.router.Queue.Events.Tell(events.AboutCall(s.call), protocol.EventQueued, nil)
	}
	if now := time.Now(); s.mayBeDirect(o, now) {
		if handed, err := s.hand(ctx, now); handed {
			return err
		}
	}
	return s.Submit(ctx)
}

// Submit queues the call. It does not wait for the acknowledgement, which says
// nothing that a result does not say too.
func (s *Sending) Submit(ctx context.Context) error {
	c, r := s.call, s.router
	if err := s.moveOut(ctx); err != nil {
		return err
	}
	s.state = submitted
	s.tries++
	if c.Lane != queue.Quick {
		r.Backlogs.Spilled(c.Pool, c.Lane)
	}
	start, traced := time.Now(), r.Tracing.Enabled()
	if traced {
		c.Traceparent = telemetry.Traceparent(ctx)
	}
	r.Queue.Calls.Submit(c, func(err error) {
		if traced {
			telemetry.EndSpan(ctx)
		}
		if err == nil {
			err = failpoint.Hit(failpoint.DispatcherAfterSubmit)
		}
		if err != nil {
			s.Failed <- err
			return
		}
		r.Metrics.Accepted(time.Since(start))
		select {
		case s.Queued <- struct{}{}:
		default: // a copy was acknowledged before
		}
	})
	return nil
}

// moveOut stores arguments that are too large for a message.
func (s *Sending) moveOut(ctx context.Context) error {
	if len(s.call.Arguments) <= queue.InlineLimit {
		return nil
	}
	return s.router.Queue.Calls.StoreArguments(ctx, s.call)
}

// Again hands the call over again after it failed. It returns an error if no further attempt
// is of use.
func (s *Sending) Again(ctx context.Context, failed error) error {
	if why, ok := errors.AsType[queue.Refusal](failed); ok {
		return s.declined(ctx, why)
	}
	if errors.Is(failed, natsio.ErrFull) || s.tries == submitTries {
		return s.final(failed)
	}
	// It may be queued all the same: the copy says so, and the worker looks for the first
	// one's result before it runs this.
	s.call.Copy = true
	return s.Submit(ctx)
}

// final returns the error of a call that is not handed over any more. If an earlier copy of a
// call whose last copy found no room may be queued, it is not known whether the call was
// accepted.
func (s *Sending) final(failed error) error {
	if errors.Is(failed, natsio.ErrFull) && s.tries > 1 {
		// not wrapped: it must not count as ErrFull
		return fmt.Errorf("%w: an earlier copy may be queued: %s", natsio.ErrUnavailable, failed.Error())
	}
	return failed
}

// errLate means that the queue did not answer within the time of the request.
var errLate = fmt.Errorf("%w: no acknowledgement came within the time of the request", natsio.ErrUnavailable)

// Confirm waits until the queue has acknowledged a call that was sent to it, or result receives
// something, which it returns.
func (s *Sending) Confirm(ctx context.Context, result <-chan []byte) ([]byte, error) {
	for s.state == submitted {
		select {
		case element := <-result:
			return element, nil
		case <-s.Queued:
			return nil, nil
		case failed := <-s.Failed:
			if _, ok := errors.AsType[queue.Refusal](failed); ok {
				continue // of a direct call whose copy was queued
			}
			return nil, s.final(failed)
		case <-ctx.Done():
			return nil, errLate
		}
	}
	return nil, nil
}
