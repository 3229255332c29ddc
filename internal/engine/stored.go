package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

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
