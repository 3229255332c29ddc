package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

// grace is the time in which a tool may return by itself after its context has
// ended.
const grace = 50 * time.Millisecond

// programGrace is that of a program, whose steps end first.
const programGrace = 30 * time.Second

// patience returns the grace of the job's tool: a tool that makes calls waits for their
// outcomes, and they have a grace of their own.
func (j *Job) patience() time.Duration {
	switch {
	case j.entry.Tool.Durable:
		return programGrace
	case j.entry.Tool.Needs.Has(tool.NeedTools):
		return 2 * grace
	}
	return grace
}

// toolRun is a tool that runs. Its fields may be read once done is closed.
type toolRun struct {
	res  tool.Result
	err  error
	ran  time.Duration
	done chan struct{}
}

// deadline gives the rest of the pipeline the time the call may take and a
// goroutine of its own, and answers when that time is up, with or without it.
func (e *Engine) deadline(next handler) handler {
	return func(ctx context.Context, j *Job) (tool.Result, error) {
		start := e.deps.Now()
		ctx, cancel := context.WithTimeout(ctx, j.allowed(start))
		defer cancel()
		if ctx.Err() != nil {
			return tool.Result{}, notStarted(ctx, j)
		}
		f := e.launch(ctx, j, next)
		deaf := !f.wait(ctx, j.patience()) && !j.afterCommit(f)
		if deaf {
			j.ran = e.since(start)
			e.abandon(f)
			if j.committing() {
				return tool.Result{}, fmt.Errorf("%w: %w", ErrRetry, ErrUncertain)
			}
			return tool.Result{}, interrupted(ctx, j, deaf)
		}
		j.ran = f.ran
		if ctx.Err() != nil && gaveUp(f.err) && !j.entry.Tool.Durable { // a program knows how it ended
			return tool.Result{}, interrupted(ctx, j, deaf)
		}
		return f.res, f.err
	}
}

// granted returns the least of the tool's timeout and the caller's.
func (j *Job) granted() time.Duration {
	d := j.Definition().Timeout()
	if j.Timeout > 0 {
		d = min(d, j.Timeout)
	}
	return d
}

// allowed returns the tool's timeout, the caller's, or what is left until the deadline,
// whichever is the least.
func (j *Job) allowed(now time.Time) time.Duration {
	d := j.granted()
	if j.Deadline.IsZero() {
		return d
	}
	return min(d, j.Deadline.Sub(now))
}

// launch runs next. The initial error remains if next never returns, since runtime.Goexit
// runs nothing but deferred calls.
func (e *Engine) launch(ctx context.Context, j *Job, next handler) *toolRun {
	f := &toolRun{err: errGoexit, done: make(chan struct{})}
	e.deps.Go(func() {
		start := e.deps.Now()
		defer func() {
			f.ran = e.since(start)
			close(f.done)
		}()
		f.res, f.err = next(ctx, j)
	})
	return f
}

// wait reports whether the tool returned before the context and the grace had ended.
func (f *toolRun) wait(ctx context.Context, grace time.Duration) bool {
	select {
	case <-f.done:
		return true
	case <-ctx.Done():
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-f.done:
		return true
	case <-patience.C:
		return false
	}
}

// abandon counts a tool that ignores its context as stuck until it returns.
func (e *Engine) abandon(f *toolRun) {
	e.deps.Stuck(+1)
	gopool.Go(func() {
		<-f.done
		e.deps.Stuck(-1)
	}, nil)
}
