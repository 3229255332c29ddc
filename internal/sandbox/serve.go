package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

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

// serve runs a job in the child. It returns within the wall limit, whatever the
// child does.
func (c *child) serve(ctx context.Context, j *Job, l Limits) outcome {
	c.use.Lock()
	defer c.use.Unlock()
	within, cancel := context.WithCancel(ctx)
	defer cancel() // what the host still does for the run
	watch := watchRun(ctx, c, l, cancel)
	r := &run{id: runs.Add(1), ctx: within, job: j, child: c}
	out := r.serve(l)
	if verdict := watch.stop(); verdict != nil {
		return *verdict
	}
	return out
}

// serve gives the child the run, and what it asks for, until it is done.
func (r *run) serve(l Limits) outcome {
	switch err := r.order(l); {
	case errors.Is(err, wire.ErrTooLarge):
		return outcome{err: tool.Fail(tool.ValidationError, "the arguments are too large for a script; give less than %d MB", wire.Max>>20)}
	case errors.Is(err, wire.ErrMalformed):
		return outcome{err: tool.Fail(tool.ValidationError, "the arguments are not JSON").Because(err)}
	case err != nil:
		r.child.condemn(err) // it may have said something before
	}
	for {
		switch f, err := r.child.in.Read(); {
		case f.Ask != nil && f.Ask.Run == r.id:
			r.ask(*f.Ask)
		case f.Done != nil && f.Done.Run == r.id:
			return r.outcome(*f.Done, l)
		default:
			r.child.condemn(err)
			return r.last(l)
		}
	}
}

// last is the outcome of a run whose child was ended.
func (r *run) last(l Limits) outcome {
	select {
	case <-r.child.gone:
		return r.child.death.outcome(l)
	case <-r.ctx.Done(): // the watch has the outcome
		return outcome{}
	}
}

// order sends the run, after the source if the child does not have it.
func (r *run) order(l Limits) error {
	j, c := r.job, r.child
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
