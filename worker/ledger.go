package worker

import (
	"context"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/failpoint"
	"github.com/helve-dev/helve/internal/trail"
	"github.com/helve-dev/helve/tool"
)

// ledger tells the engine whether a call has started before: the stored result
// and the start fence are the truth.
type ledger struct{ w *Worker }

// Earlier looks for an earlier attempt of a redelivered call.
func (l ledger) Earlier(ctx context.Context, j *engine.Job) error {
	if err := failpoint.Hit(failpoint.WorkerBeforeEarlier); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a cancelled call needs the answer too
	stored, err := l.w.bus.Result(ctx, j.Tenant, j.ID)
	if err != nil {
		return err
	}
	if stored != nil {
		return engine.ErrSettled
	}
	fence, err := l.w.bus.Fenced(ctx, j.Tenant, j.ID)
	if err != nil {
		return err
	}
	if fence != nil && (fence.Ended != "" || !again(j)) {
		return l.behind(ctx, j, fence)
	}
	if l.w.bus.ProbeOthers(ctx, j.Tenant, j.ID) != nil {
		return engine.ErrElsewhere // its worker lives, only its heartbeat was late
	}
	return nil
}

// again says that the fence of a job is only that of the calls its tool makes: each of
// them has one, so the job may be run again and finds out what became of them.
func again(j *engine.Job) bool {
	inv := j.Invocation()
	return j.Entry().Tool.Needs.Has(tool.NeedTools) && (!inv.Mutates || inv.Idempotent)
}

// beginWithin stores that a call which the job's tool makes is about to act, where
// the job has no fence that says so.
func (l ledger) beginWithin(ctx context.Context, j *engine.Job) error {
	if !again(j) {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	fence, err := l.w.bus.Fence(ctx, j.Tenant, j.ID, bus.Fence{By: l.w.ID(), Attempt: j.Attempt, AtMS: time.Now().UnixMilli()})
	switch {
	case errors.Is(err, bus.ErrExists) && fence.Ended != "":
		return tool.Fail(tool.Kind(fence.Ended), "the call that made this one was ended before this one started; it did nothing")
	case errors.Is(err, bus.ErrExists):
		return nil // of an attempt before
	}
	return err
}

// Begin stores the started record, and beside it the start fence of a call that
// cannot be repeated, directly before a tool with side effects acts. A call that
// can leaves no fence, but must not pass that of a dispatcher that ended it.
func (l ledger) Begin(ctx context.Context, j *engine.Job) error {
	if err := failpoint.Hit(failpoint.WorkerBeforeFence); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // half a write would leave the call unknown
	written := l.w.records.begin(j)
	err := l.claim(ctx, j)
	if unrecorded := <-written; unrecorded != nil && err == nil {
		return unwritten(unrecorded)
	}
	if err != nil {
		return err
	}
	return failpoint.Hit(failpoint.WorkerAfterFence)
}

// claim makes the start of the job this worker's.
func (l ledger) claim(ctx context.Context, j *engine.Job) error {
	if j.Invocation().Idempotent {
		if j.Redelivered {
			return nil // Earlier has looked
		}
		fence, err := l.w.bus.Fenced(ctx, j.Tenant, j.ID)
		if fence == nil || err != nil {
			return err
		}
		return l.behind(ctx, j, fence)
	}
	fence, err := l.w.bus.Fence(ctx, j.Tenant, j.ID, bus.Fence{
		By: l.w.ID(), Attempt: j.Attempt, AtMS: time.Now().UnixMilli(),
	})
	if errors.Is(err, bus.ErrExists) {
		return l.behind(ctx, j, fence)
	}
	return err
}

// unwritten ends a call whose start could not be put on record: it must not act
// unseen, and did not.
func unwritten(err error) error {
	err = trail.Refusal(err)
	if _, final := errors.AsType[*tool.Error](err); final {
		return err
	}
	return tool.Fail(tool.Internal, "the call could not be put on record, so it was not run; try again").Because(err)
}

// behind decides what becomes of a call whose fence somebody else stored.
func (l ledger) behind(ctx context.Context, j *engine.Job, fence *bus.Fence) error {
	if fence.Ended != "" {
		return tool.Fail(tool.Kind(fence.Ended), "the call was ended before it started; it did nothing")
	}
	stored, err := l.w.bus.Result(ctx, j.Tenant, j.ID)
	if err != nil {
		return err
	}
	if stored != nil {
		return engine.ErrSettled
	}
	if l.w.bus.ProbeOthers(ctx, j.Tenant, j.ID) != nil {
		return engine.ErrElsewhere
	}
	return unknownOutcome()
}

func unknownOutcome() *tool.Error {
	return tool.Fail(tool.OutcomeUnknown,
		"the call was interrupted after it started; it may or may not have happened and was not run again; check before you send it anew")
}
