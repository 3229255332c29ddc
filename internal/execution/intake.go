package execution

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/tool"
)

// intake makes this worker the owner of a call and decides whether to run it. Each check
// returns running if it has no objection.
func (x *Executor) intake(ctx context.Context, r *run) state {
	c := r.call
	if !x.calls.add(r) {
		// This process runs the call already: the redelivery came because a heartbeat was
		// late. Its result will take the call off the queue.
		return left
	}
	if c.Program == "" && c.Attempt > x.MaxAttempts && time.Now().After(c.StartBy()) { // no worker may have been able to begin it
		if to := x.giveUp(ctx, r, c.Attempt-1); to != running {
			return to
		}
	}
	if to := x.checkHome(ctx, r); to != running {
		return to
	}
	if to := x.awaitRoom(ctx); to != running {
		return to
	}
	if to := x.checkFence(ctx, r); to != running {
		return to
	}
	if to := x.loadArguments(ctx, r); to != running {
		return to
	}
	if r.call.Attempt > 1 && r.call.GivenUp == nil && r.call.Program == "" { // a program may be taken over as often as it must
		if to := x.beginAttempt(ctx, r); to != running {
			return to
		}
	}
	if err := failpoint.Hit(failpoint.WorkerTaken); err != nil {
		return returned
	}
	if x.cancelled.has(callKey{c.Tenant, c.ID}) {
		r.stop(engine.ErrCancelled)
	}
	return running
}

// checkHome moves a call whose user is bound to another worker to the lane of that worker.
// Such calls were queued in a lane of the pool, as
// after a person's consent, or in the lane of the worker that had this one's before.
func (x *Executor) checkHome(ctx context.Context, r *run) state {
	c := r.call
	home, bound, err := x.Router.Home(ctx, c)
	switch {
	case err != nil:
		x.Log.Warn("worker of the call's user not found; trying again", zap.String("call_id", c.ID), zap.Error(err))
		return returned
	case !bound:
		return running
	}
	c.Lane, c.Home, c.Rehomed = home.Lane, home.Worker, home.Moved
	if home.Worker == x.Worker {
		return running
	}
	return r.to(home.Lane)
}

// awaitRoom waits until the record and the result of a call can be stored. If the worker
// drains first, the call returns to the queue. A call that was cancelled goes on to its end.
func (x *Executor) awaitRoom(ctx context.Context) state {
	if x.Storage.Shortage() == NoShortage || x.space.wait(ctx) {
		return running
	}
	select {
	case <-x.space.draining.Done():
		return returned
	default:
		return running
	}
}

// lookAfter is the queue age above which the fence is read before a call runs. A
// dispatcher needs two probes of this length to end a queued call, so a younger call cannot
// have been ended (given clock skew below this) and skips the read.
const lookAfter = 150 * time.Millisecond

// checkFence finds a call that a dispatcher has ended while it was queued, which this
// worker may not have received: it was not running yet, or NATS was unreachable. For a
// redelivered call the engine does that.
func (x *Executor) checkFence(ctx context.Context, r *run) state {
	c := r.call
	if c.redelivered() || time.Since(c.Accepted()) < lookAfter {
		return running
	}
	switch fence, err := x.Fences.Read(ctx, c.Tenant, c.ID); {
	case err != nil:
		return returned
	case fence == nil:
		return running
	case fence.Ended == "":
		// An earlier delivery has started the call: a server that is killed may lose the
		// count of deliveries. So the engine looks for its outcome, also if the call is
		// cancelled.
		c.Copy = true
		return running
	}
	return x.alreadyFinished(r)
}

// loadArguments reads the arguments of the call.
func (x *Executor) loadArguments(ctx context.Context, r *run) state {
	switch err := r.delivery.LoadArguments(ctx); {
	case errors.Is(err, ErrGone):
		return x.refuse(r, tool.Fail(tool.Internal, "the call's arguments are no longer stored, so it could not be run; send it again"))
	case err != nil:
		x.Log.Warn("arguments not readable now", zap.String("call_id", r.call.ID), zap.Error(err))
		return returned
	}
	return running
}
