package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

// outcome is how a run ended. A reason says that the child was ended with it.
type outcome struct {
	value  json.RawMessage
	err    error
	reason string
}

// runs numbers the runs of this process, so that no child can speak of a run
// that is not its own by mistake.
var runs atomic.Uint64

// tick is how exact the CPU limit is.
const tick = 5 * time.Millisecond

// serve runs a job in the child. It returns within the wall limit, whatever the
// child does.
func (c *child) serve(ctx context.Context, j *Job, l Limits) outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // what the host still does for the run
	start, before := time.Now(), c.spent
	_ = c.conn.SetWriteDeadline(start.Add(l.Wall)) // a child may not read
	r := &run{id: runs.Add(1), ctx: ctx, job: j, child: c, done: make(chan wire.Done, 1)}
	c.begin(r)
	switch err := c.order(r, l); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.kill(nil)
		return overdue(0, l)
	case errors.Is(err, wire.ErrTooLarge):
		c.begin(nil)
		return outcome{err: tool.Fail(tool.ValidationError, "the arguments are too large for a script; give less than %d MB", wire.Max>>20)}
	case errors.Is(err, wire.ErrMalformed):
		c.begin(nil)
		return outcome{err: tool.Fail(tool.ValidationError, "the arguments are not JSON").Because(err)}
	case err != nil:
		c.kill(nil) // it is gone, or about to be: what it left says why
	}
	timer := time.NewTimer(min(l.Wall, l.CPU/2))
	defer timer.Stop()
	for {
		select {
		case done := <-r.done:
			return r.outcome(done, l)
		case <-c.gone:
			return r.last(l)
		case <-ctx.Done():
			c.kill(nil)
			return outcome{err: gone(ctx), reason: "cancelled"}
		case <-timer.C:
			used, left := c.cpu()-before, l.Wall-time.Since(start)
			if used >= l.CPU || left <= 0 {
				c.kill(nil)
				return overdue(used, l)
			}
			timer.Reset(min(left, max((l.CPU-used)/2, tick)))
		}
	}
}

// order sends the run, after the source if the child does not have it.
func (c *child) order(r *run, l Limits) error {
	j := r.job
	c.calls++
	number, news := c.library.use(j)
	if news != nil {
		if err := c.out.Write(wire.Frame{Program: news}); err != nil {
			return err
		}
	}
	args := j.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return c.out.Write(wire.Frame{Run: &wire.Run{
		ID: r.id, Program: number, Args: args, Context: j.Context,
		Network: j.Network, Files: j.Files, Memory: l.Memory, Output: l.Output, CompileOnly: j.CompileOnly,
	}})
}

// last is the outcome of a run whose child is gone. It may have answered before.
func (r *run) last(l Limits) outcome {
	select {
	case done := <-r.done:
		return r.outcome(done, l)
	default:
		return r.child.death.outcome(l)
	}
}
