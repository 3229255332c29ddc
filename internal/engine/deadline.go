package engine

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

// grace is how long a tool may take to return by itself after its context has
// ended.
const grace = 50 * time.Millisecond

// patience is the grace of the job's tool: one that makes calls has to hear how they
// ended, and they have a grace of their own.
func (j *Job) patience() time.Duration {
	if j.entry.Tool.Needs.Has(tool.NeedTools) {
		return 2 * grace
	}
	return grace
}

// flight is a tool on its way. Its fields may be read once landed is closed.
type flight struct {
	res    tool.Result
	err    error
	ran    time.Duration
	landed chan struct{}
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
		deaf := !f.wait(ctx, j.patience())
		if deaf {
			j.ran = e.since(start)
			e.abandon(f)
			return tool.Result{}, interrupted(ctx, j, deaf)
		}
		j.ran = f.ran
		if ctx.Err() != nil && gaveUp(f.err) {
			return tool.Result{}, interrupted(ctx, j, deaf)
		}
		return f.res, f.err
	}
}

// granted is the least of the tool's timeout and the caller's.
func (j *Job) granted() time.Duration {
	d := j.Definition().Timeout()
	if j.Timeout > 0 {
		d = min(d, j.Timeout)
	}
	return d
}

// allowed is what is granted, or what is left of it until the deadline.
func (j *Job) allowed(now time.Time) time.Duration {
	if j.Deadline.IsZero() {
		return j.granted()
	}
	return min(j.granted(), j.Deadline.Sub(now))
}

// launch runs next. The error that is there from the start is what is left if
// next never returns, since runtime.Goexit runs nothing but deferred calls.
func (e *Engine) launch(ctx context.Context, j *Job, next handler) *flight {
	f := &flight{err: errGoexit, landed: make(chan struct{})}
	e.deps.Go(func() {
		start := e.deps.Now()
		defer func() {
			f.ran = e.since(start)
			close(f.landed)
		}()
		f.res, f.err = next(ctx, j)
	})
	return f
}

// wait reports whether f landed before the context and the grace had ended.
func (f *flight) wait(ctx context.Context, grace time.Duration) bool {
	select {
	case <-f.landed:
		return true
	case <-ctx.Done():
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-f.landed:
		return true
	case <-patience.C:
		return false
	}
}

// abandon counts a deaf tool as stuck until it returns.
func (e *Engine) abandon(f *flight) {
	e.deps.Stuck(+1)
	go func() {
		<-f.landed
		e.deps.Stuck(-1)
	}()
}
