package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Hold is the time that a call waits in this process for the room that its tool takes. A
// call that has less than twice that time left waits for all of it, and then ends.
const Hold = 2 * time.Second

// Room is a resource that a tool takes while it runs, such as a sandbox.
type Room interface {
	// With returns a context with which the tool uses the room.
	With(ctx context.Context) context.Context
	// Release releases the room. It is called once.
	Release()
}

// reserve waits for the room that the tool takes, before the call starts: a call that
// finds none has left no trace of having started, and the tool's own time has not begun.
func (e *Engine) reserve(next handler) handler {
	return func(ctx context.Context, j *Job) (tool.Result, error) {
		if j.entry.Reserve == nil {
			return next(ctx, j)
		}
		within, cancel := e.held(ctx, j)
		room, err := j.entry.Reserve(within, &j.Call)
		cancel()
		switch {
		case err != nil && ctx.Err() != nil:
			return tool.Result{}, notStarted(ctx, j)
		case err != nil:
			return tool.Result{}, refusal(ctx, j, "reserve", crowded(j, err))
		}
		defer room.Release()
		return next(room.With(ctx), j)
	}
}

// held bounds how long a job may wait. A call that another one made waits with that.
func (e *Engine) held(ctx context.Context, j *Job) (context.Context, context.CancelFunc) {
	if j.Nested {
		return ctx, func() {}
	}
	wait := Hold
	if !j.Deadline.IsZero() {
		if left := j.Deadline.Sub(e.deps.Now()); left <= 2*Hold {
			wait = left
		}
	}
	return context.WithTimeout(ctx, wait)
}

// crowded makes a reason to wait elsewhere of an error that says there is no room. A call
// that another one made cannot, and ends in it.
func crowded(j *Job, err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Kind == tool.Overloaded && !j.Nested {
		return fmt.Errorf("%w: %w", ErrCrowded, e)
	}
	return err
}
