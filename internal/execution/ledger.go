package execution

import (
	"context"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/tool"
)

// Ledger reports to the engine whether a call has started before, from the stored result
// and the start fence. It implements [engine.Ledger].
type Ledger struct {
	worker  string
	calls   *calls
	space   space
	results Results
	records Records
	fences  Fences
	owners  Owners
}

// Earlier looks for an earlier attempt of a redelivered call.
func (l *Ledger) Earlier(ctx context.Context, j *engine.Job) error {
	if err := failpoint.Hit(failpoint.WorkerBeforeEarlier); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a cancelled call needs the answer too
	if err := l.stored(ctx, j); err != nil {
		return err
	}
	fence, err := l.fences.Read(ctx, j.Tenant, j.ID)
	if err != nil {
		return err
	}
	if fence != nil && (fence.Ended != "" || !rerunnable(j)) {
		return l.afterForeignFence(ctx, j, fence)
	}
	if l.moved(j) || l.asked(j) {
		return nil
	}
	return l.elsewhere(ctx, j)
}

// asked reports whether the other processes were asked before this attempt of the job's call.
// It was not when the call had a fence, which may be newer than the answers.
func (l *Ledger) asked(j *engine.Job) bool {
	r := l.calls.get(callKey{j.Tenant, j.ID})
	return r != nil && r.asked
}

// stored returns [engine.ErrAlreadyFinished] if the job's call has a stored result.
func (l *Ledger) stored(ctx context.Context, j *engine.Job) error {
	pool := "" // of a nested call it is not known
	if r := l.calls.get(callKey{j.Tenant, j.ID}); r != nil {
		pool = r.call.Pool
	}
	first, err := l.results.Find(ctx, j.Tenant, pool, j.ID)
	if first != nil && err == nil {
		return engine.ErrAlreadyFinished
	}
	return err
}

// elsewhere returns an error if another worker runs the call, whose heartbeat was merely
// late, or if the call has a result in a group.
func (l *Ledger) elsewhere(ctx context.Context, j *engine.Job) error {
	switch l.owners.Elsewhere(ctx, j.Tenant, j.ID) {
	case RunningElsewhere:
		return engine.ErrRunningElsewhere
	case FinishedElsewhere:
		return engine.ErrAlreadyFinished
	default:
		return nil
	}
}

// moved reports whether a job need not wait for the answers of other processes: another
// worker put it onto this lane before it started, and it was not delivered since. Only if
// that worker died between the two is there a second message. Then a call that changes
// nothing may run twice at a time, and the fence keeps a call with side effects from it.
func (l *Ledger) moved(j *engine.Job) bool {
	r, inv := l.calls.get(callKey{j.Tenant, j.ID}), j.Invocation()
	return r != nil && r.call.Moves > 0 && r.call.Attempt == 1 && (!inv.Mutates || !inv.Idempotent) &&
		!j.Entry().Tool.Needs.Has(tool.NeedTools)
}

// rerunnable reports whether the job may be run again although it has a fence: it has no
// side effects of its own, and each nested call is protected by its own fence.
func rerunnable(j *engine.Job) bool {
	inv := j.Invocation()
	return j.Entry().Tool.Needs.Has(tool.NeedTools) && (!inv.Mutates || inv.Idempotent)
}

// BeginNested stores the fence of a job whose nested call is about to act, if the job has
// none of its own.
func (l *Ledger) BeginNested(ctx context.Context, j *engine.Job) error {
	if !rerunnable(j) {
		return nil
	}
	fence, err := l.fences.Write(context.WithoutCancel(ctx), j.Tenant, j.ID, call.Fence{By: l.worker, Attempt: j.Attempt})
	switch {
	case errors.Is(err, ErrExists) && fence.Ended != "":
		return tool.Fail(tool.Kind(fence.Ended), "the call that made this one was ended before this one started; it did nothing")
	case errors.Is(err, ErrExists):
		return nil // of an earlier attempt
	}
	return err
}

// Begin stores the started record, and beside it the start fence of a call that
// cannot be repeated, directly before a tool with side effects acts. A repeatable call
// leaves no fence, but must not pass that of a dispatcher that ended it.
func (l *Ledger) Begin(ctx context.Context, j *engine.Job) error {
	if err := failpoint.Hit(failpoint.WorkerBeforeFence); err != nil {
		return err
	}
	whole := context.WithoutCancel(ctx) // half a write would leave the call unknown
	written := begin(l.records, j)
	err := l.start(whole, j)
	if err != nil {
		<-written //nolint:errcheck // the fence decides; this only has ended
		return err
	}
	if err := l.begun(ctx, j, written); err != nil {
		return unrecorded(err)
	}
	return failpoint.Hit(failpoint.WorkerAfterFence)
}

// start stores the start fence of the job, or reads the fence if the job is repeatable.
func (l *Ledger) start(ctx context.Context, j *engine.Job) error {
	if j.Invocation().Idempotent {
		if j.Redelivered || l.young(j) {
			return nil // Earlier has looked, or nobody can have ended it
		}
		fence, err := l.fences.Read(ctx, j.Tenant, j.ID)
		if fence == nil || err != nil {
			return err
		}
		return l.afterForeignFence(ctx, j, fence)
	}
	fence, err := l.fences.Write(ctx, j.Tenant, j.ID, call.Fence{By: l.worker, Attempt: j.Attempt})
	if errors.Is(err, ErrExists) {
		return l.afterForeignFence(ctx, j, fence)
	}
	return err
}

// young reports whether no dispatcher can have ended the call of a transactional job, so
// that its fence need not be read.
func (l *Ledger) young(j *engine.Job) bool {
	r := l.calls.get(callKey{j.Tenant, j.ID})
	return r != nil && j.Entry().Tool.Transactional && time.Since(r.call.Accepted()) < lookAfter
}

// begun waits until the started record of a call is stored. While there is no room for it,
// or the store does not answer, the call waits: it has done nothing, and its fence is its
// own.
func (l *Ledger) begun(ctx context.Context, j *engine.Job, written <-chan error) error {
	err := <-written
	for err != nil && l.mayBegin(ctx, j, err) {
		err = <-begin(l.records, j)
	}
	return err
}

// mayBegin waits until a started record that was not stored may be sent again; false if the
// call ends first. A store that does not answer may never do so again: then the call waits
// until it must have started.
func (l *Ledger) mayBegin(ctx context.Context, j *engine.Job, failed error) bool {
	if errors.Is(failed, ErrFull) {
		return l.space.wait(ctx)
	}
	if r := l.calls.get(callKey{j.Tenant, j.ID}); r != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, r.call.StartBy())
		defer cancel()
	}
	return l.space.rest(ctx) && l.space.wait(ctx)
}

// unrecorded returns the error of a call whose start could not be recorded: it must not act
// without a record, and did not.
func unrecorded(err error) error {
	if refusal, final := errors.AsType[*tool.Error](err); final {
		return refusal
	}
	return tool.Fail(tool.Internal, "the call could not be put on record, so it was not run; try again").Because(err)
}

// afterForeignFence decides the outcome of a call whose fence another delivery or process
// stored.
func (l *Ledger) afterForeignFence(ctx context.Context, j *engine.Job, fence *call.Fence) error {
	if fence.Ended != "" {
		return tool.Fail(tool.Kind(fence.Ended), "the call was ended before it started; it did nothing")
	}
	if err := l.stored(ctx, j); err != nil {
		return err
	}
	if err := l.elsewhere(ctx, j); err != nil {
		return err
	}
	return UnknownOutcome()
}
