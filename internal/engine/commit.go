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
