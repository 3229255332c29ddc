package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/lib/backoff"
	"github.com/helve-dev/helve/tool"
)

// Work is the store port of a job: the buffered changes of its tool.
type Work interface {
	// Commit stores the changes with the result of the call, and returns nil; or, with
	// nothing stored, the result of another attempt, which has committed the call. The
	// error is [ErrStale], [ErrUncertain], or the end of the call: nothing was stored.
	Commit(ctx context.Context, res tool.Result) (*Committed, error)
	// Reset forgets the changes and what was read, before the tool runs again.
	Reset()
}

// Committed is the stored outcome of a call: a result, or the error that keeps attempts
// from committing.
type Committed struct {
	Result tool.Result
	Err    *tool.Error
	// Attempt is the attempt of the call that stored it.
	Attempt int
}

// The errors of Work.Commit after which the call has not ended.
var (
	// ErrStale means that another call changed what the tool has read.
	ErrStale = errors.New("what the tool has read was changed meanwhile")
	// ErrUncertain means that it is not known whether the changes are stored.
	ErrUncertain = errors.New("it is not known whether the changes are stored")
)

// commitGrace is the time to wait for the outcome of a commit after the call's time.
const commitGrace = 8 * time.Second

// The phases of a job with Work. Either the commit begins, or the engine gives the tool up:
// the first of the two excludes the other.
const (
	phaseOpen int32 = iota
	phaseCommit
	phaseGivenUp
)

// phase is the phase of a job.
type phase struct{ atomic.Int32 }

func (p *phase) enter(next int32) bool { return p.CompareAndSwap(phaseOpen, next) }

// transactional reports whether the job's changes are committed with its result.
func (j *Job) transactional() bool { return j.entry != nil && j.entry.Tool.Transactional }

// stored returns the stored outcome of a job that was delivered before, in place of
// running it.
func (e *Engine) stored(next handler) handler {
	return func(ctx context.Context, j *Job) (tool.Result, error) {
		if j.GivenUp != nil {
			return e.giveUp(context.WithoutCancel(ctx), j)
		}
		if !j.transactional() || e.deps.Committed == nil {
			return next(ctx, j)
		}
		var found *Committed
		if j.Redelivered {
			var err error
			// A call that was cancelled needs the answer too.
			if found, err = e.deps.Committed(context.WithoutCancel(ctx), j); err != nil {
				return tool.Result{}, fmt.Errorf("%w: %w", ErrRetry, err)
			}
		}
		if found == nil {
			res, err := next(ctx, j)
			if err != nil {
				return e.refuse(ctx, j, err)
			}
			return res, nil
		}
		return j.outcomeOf(found)
	}
}

// giveUp ends a job after too many attempts: with the outcome that one of them committed,
// or with an error after which none commits. Without an answer of the store neither is
// known.
func (e *Engine) giveUp(ctx context.Context, j *Job) (tool.Result, error) {
	if !j.transactional() || e.deps.Refuse == nil {
		return tool.Result{}, j.GivenUp
	}
	first, err := e.deps.Refuse(ctx, j, j.GivenUp)
	switch {
	case err != nil:
		return tool.Result{}, tool.Fail(tool.OutcomeUnknown,
			"%s; the store does not answer, so it is not known whether its changes were made; check before you send it again",
			j.GivenUp.Msg).Because(err)
	case first != nil:
		return j.outcomeOf(first)
	}
	return tool.Result{}, j.GivenUp
}

// outcomeOf returns a stored outcome in place of the job's own.
func (j *Job) outcomeOf(found *Committed) (tool.Result, error) {
	j.committed.Store(int64(found.Attempt))
	if found.Err != nil {
		return tool.Result{}, found.Err
	}
	return found.Result, nil
}

// settledAfter is the time that an attempt may take before another one of the same call
// can exist. It is shorter than the time after which the queue delivers a call again.
const settledAfter = 500 * time.Millisecond

// refuse stores that a job has ended in an error, if another attempt of it may be about
// to commit. If that was first, its outcome is the job's.
func (e *Engine) refuse(ctx context.Context, j *Job, reason error) (tool.Result, error) {
	final, ok := errors.AsType[*tool.Error](reason)
	if !ok || isControl(reason) || e.deps.Refuse == nil || !j.Redelivered && e.since(j.outcome.Started) < settledAfter {
		return tool.Result{}, reason
	}
	first, err := e.deps.Refuse(context.WithoutCancel(ctx), j, presentable(final))
	switch {
	case err != nil && j.Redelivered:
		return tool.Result{}, fmt.Errorf("%w: %w", ErrRetry, err)
	case err != nil || first == nil:
		return tool.Result{}, reason
	}
	return j.outcomeOf(first)
}

// commit stores what the tool has changed with its result. If another call has changed
// what the tool read, the tool runs again, until the time of the call is over.
func (e *Engine) commit(next handler) handler {
	return func(ctx context.Context, j *Job) (tool.Result, error) {
		if j.Work == nil {
			return next(ctx, j)
		}
		for runs := 1; ; runs++ {
			res, err := next(ctx, j)
			if err != nil {
				return tool.Result{}, err
			}
			if !j.phase.enter(phaseCommit) {
				return tool.Result{}, context.Cause(ctx) // nobody waits, and nothing is stored
			}
			other, err := j.Work.Commit(ctx, res)
			switch {
			case err == nil && other != nil:
				return j.outcomeOf(other)
			case err == nil:
				return res, nil
			case errors.Is(err, ErrUncertain):
				return tool.Result{}, fmt.Errorf("%w: %w", ErrRetry, err)
			case !errors.Is(err, ErrStale):
				return tool.Result{}, failure(err)
			}
			j.phase.Store(phaseOpen)
			if !backoff.Wait(ctx, runs) {
				return tool.Result{}, tool.Fail(tool.Overloaded, "other calls keep changing the same data; nothing was changed; try again").Because(err)
			}
			j.Work.Reset()
		}
	}
}

// committing reports whether the job's commit goes on although the engine gives the tool
// up. Otherwise it never begins.
func (j *Job) committing() bool {
	return j.Work != nil && !j.phase.enter(phaseGivenUp) && j.phase.Load() == phaseCommit
}

// afterCommit waits for a tool that the engine would give up, if its commit has begun: its
// outcome is about to be known. It reports whether the tool has returned.
func (j *Job) afterCommit(f *toolRun) bool {
	if !j.committing() {
		return false
	}
	limit := time.NewTimer(commitGrace)
	defer limit.Stop()
	select {
	case <-f.done:
		return true
	case <-limit.C:
		return false
	}
}
