package route

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// A direct call is handed to a worker with a free slot and not queued: one stored message
// less. Only calls that change nothing, are waited for and belong to a tool that was quick
// lately are direct, and only while no call waits for the pool. Such a call is not accepted
// until its result is stored or it is queued: if dispatcher and worker are lost, nothing was
// stored and nobody was answered. It is queued if a worker declines it, if no result came in
// time, and before it is answered as pending.
const (
	// directSmall is the longest arguments of a direct call, in bytes.
	directSmall = 16 << 10
	// busyRest is the time for which calls of a pool are queued after a worker had no slot for
	// a direct call, unheardRest the same if no worker of the pool receives direct calls, and
	// unfitRest the time for which calls of a tool are queued after a worker declined one.
	busyRest, unheardRest, unfitRest = 100 * time.Millisecond, 5 * time.Second, 10 * time.Second
)

// Offer holds the facts that decide whether a call may be direct.
type Offer struct {
	Tool *tool.Definition
	// Changes is set if the call may change something, Awaited if its caller waits for the
	// result.
	Changes, Awaited bool
}

// mayBeDirect reports whether the call may be direct now. It sets the pace of calls that may
// be at another time.
func (s *Sending) mayBeDirect(o Offer, now time.Time) bool {
	c, r := s.call, s.router
	switch {
	case r.DirectUnder <= 0, !o.Awaited, o.Changes, c.Copy, c.Waits:
		return false
	case o.Tool.Kind != tool.KindBuiltin, o.Tool.Name == catalog.UseTool:
		return false
	case c.ConfirmToken != "", c.Priority == protocol.PriorityBatch, len(c.Arguments) > directSmall:
		return false
	case c.Home != "", queue.IsKind(c.Lane), queue.BasePool(c.Pool) != c.Pool:
		return false
	}
	s.pace = r.paces.of(o.Tool.Name)
	ms := now.UnixMilli()
	return s.pace.allows(ms) && !r.paces.resting(c.Pool, ms) && r.Inbox.MaySendDirect() && r.Backlogs.Empty(c.Pool)
}

// hand hands the call to a worker. It returns false if that is not possible.
func (s *Sending) hand(ctx context.Context, now time.Time) (handed bool, err error) {
	c, r := s.call, s.router
	if r.Tracing.Enabled() {
		c.Traceparent = telemetry.Traceparent(ctx)
	}
	if sent := r.Inbox.SendDirect(c, s.result, s.Failed) == nil; !sent {
		return false, nil
	}
	if r.Tracing.Enabled() {
		telemetry.EndSpan(ctx)
	}
	r.Backlogs.Add(c.Pool, -1)
	s.state, s.due = withWorker, now.Add(r.DirectWait)
	return true, failpoint.Hit(failpoint.DispatcherAfterHand)
}

// declined queues a direct call that no worker runs.
func (s *Sending) declined(ctx context.Context, why queue.Refusal) error {
	if s.state != withWorker {
		return nil // its copy is queued
	}
	r := s.router
	r.Metrics.Direct(telemetry.DirectDeclined)
	switch why {
	case queue.Unfit:
		s.pace.rest.Store(time.Now().Add(unfitRest).UnixMilli())
	case queue.Unheard:
		r.paces.rest(s.call.Pool, unheardRest)
	case queue.Busy:
		r.paces.rest(s.call.Pool, busyRest)
	}
	r.Backlogs.Add(s.call.Pool, 1)
	return s.Submit(ctx)
}

// Due returns when [Sending.Late] must be called, zero if it need not be.
func (s *Sending) Due() time.Time {
	if s.state != withWorker {
		return time.Time{}
	}
	return s.due
}

// Late queues a direct call that has no result although it is due.
func (s *Sending) Late(ctx context.Context, now time.Time) error {
	s.pace.late(now)
	return s.Queue(ctx)
}

// Queue queues a direct call that a worker may be running, since its caller waits no longer.
// The worker that receives the copy looks for the result, and for the worker that runs the
// call. A call that is queued already stays as it is.
func (s *Sending) Queue(ctx context.Context) error {
	if s.state != withWorker {
		return nil
	}
	s.state = unsent
	s.router.Metrics.Direct(telemetry.DirectLate)
	if err := failpoint.Hit(failpoint.DispatcherBeforeCopy); err != nil {
		return err
	}
	s.router.Backlogs.Add(s.call.Pool, 1)
	s.call.Copy = true
	s.tries++ // the direct call counts as one
	return s.Submit(ctx)
}

// Answered notes that the result of the call was received.
func (s *Sending) Answered() {
	if s.state == withWorker {
		s.state = answered
		s.router.Metrics.Direct(telemetry.DirectAnswered)
	}
	if s.pace != nil {
		now := time.Now()
		s.pace.ended(now.Sub(s.call.Accepted()) <= s.router.DirectUnder, now)
	}
}
