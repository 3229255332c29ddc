package execution

import (
	"context"
	"errors"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/tool"
)

// unstarted reports whether a call that may act has ended before its tool ran. The queue
// may have delivered it to another worker too, which would start it: it needs the fence.
// A call that changes nothing needs none, and a call whose outcome is unknown has one.
func unstarted(j *engine.Job, out *engine.Outcome) bool {
	if out.Err == nil || out.Ran > 0 || out.Err.Kind == tool.OutcomeUnknown {
		return false
	}
	entry, inv := j.Entry(), j.Invocation()
	switch {
	case entry == nil, entry.Tool.Needs.Has(tool.NeedTools): // its effects are not known
		return true
	case inv.Run != nil:
		return inv.Mutates
	}
	return entry.Tool.Mutates
}

// fence stores the fence after which no delivery of a call starts it. If another delivery
// has started it, the outcome is that delivery's. A call that may be repeated starts
// without a fence: if the run is repeatable, a worker that took the call before the fence
// was stored keeps it.
func (x *Executor) fence(ctx context.Context, r *run) state {
	c := r.call
	err := failpoint.Hit(failpoint.WorkerBeforeEnd)
	var fence *call.Fence
	if err == nil {
		fence, err = x.Fences.Write(context.WithoutCancel(ctx), c.Tenant, c.ID, call.Fence{
			By:      x.Worker,
			Attempt: c.Attempt,
			Ended:   string(r.result.ErrorType),
		})
	}
	switch {
	case err != nil && !errors.Is(err, ErrExists):
		x.notStored("fence of an unstarted call not stored; trying again", c.ID, err)
		return x.retry(r, fencing)
	case fence.Ended == "" && (fence.By != x.Worker || fence.Attempt != c.Attempt):
		return preempted
	case r.repeatable:
		if to := x.elsewhere(context.WithoutCancel(ctx), c); to != pending {
			return to
		}
	}
	return encoding
}

// afterForeignFence ends a call that another delivery has started: with the result of that
// delivery if it is stored, or will be as its worker lives, else as unknown.
func (x *Executor) afterForeignFence(ctx context.Context, r *run) state {
	c := r.call
	ctx = context.WithoutCancel(ctx)
	switch first, err := x.Results.Find(ctx, c.Tenant, c.Pool, c.ID); {
	case err != nil:
		return x.retry(r, preempted)
	case first != nil:
		return settled
	}
	if to := x.elsewhere(ctx, c); to != pending {
		return to
	}
	unknown := UnknownOutcome()
	if r.uncertain != nil {
		unknown = r.uncertain(unknown)
	}
	x.fail(r, unknown)
	return encoding
}

// UnknownOutcome returns the error of a call that was interrupted after it started.
func UnknownOutcome() *tool.Error {
	return tool.Fail(tool.OutcomeUnknown,
		"the call was interrupted after it started; it may or may not have happened and was not run again; check before you send it again")
}
