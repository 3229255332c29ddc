package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

// outcome is the end of a run. A reason is set if the child was ended with it.
type outcome struct {
	value  json.RawMessage
	err    error
	reason string
}

// runs numbers the runs of this process, so that a child cannot refer to another run by
// mistake.
var runs atomic.Uint64

// serve runs a job in the child. It returns within the wall limit, whatever the
// child does.
func (c *childProcess) serve(ctx context.Context, j *Job, l Limits) outcome {
	c.use.Lock()
	defer c.use.Unlock()
	within, cancel := context.WithCancel(ctx)
	defer cancel() // the host's open requests of the run
	watch := watchRun(ctx, c, j, l, cancel)
	r := &run{id: runs.Add(1), ctx: within, job: j, child: c, watch: watch}
	out := r.serve(l)
	if verdict := watch.stop(); verdict != nil {
		return *verdict
	}
	return out
}

// serve sends the run to the child and answers its requests, until it is done.
func (r *run) serve(l Limits) outcome {
	switch err := r.order(l); {
	case errors.Is(err, wire.ErrTooLarge):
		return outcome{err: tool.Fail(tool.ValidationError, "the arguments are too large for a script; give less than %d MB", wire.Max>>20)}
	case errors.Is(err, wire.ErrMalformed):
		return outcome{err: tool.Fail(tool.ValidationError, "the arguments are not JSON").Because(err)}
	case err != nil:
		r.child.killFor(err) // it may have written something before
	}
	for {
		switch f, err := r.child.in.Read(); {
		case f.Ask != nil && f.Ask.Run == r.id && r.job.Durable != nil:
			if err := r.next(*f.Ask); err != nil {
				r.child.kill(violation{err})
				return r.last(l)
			}
		case f.Ask != nil && f.Ask.Run == r.id:
			r.ask(*f.Ask)
		case f.Done != nil && f.Done.Run == r.id:
			return r.outcome(*f.Done, l)
		default:
			r.child.killFor(err)
			return r.last(l)
		}
	}
}

// last returns the outcome of a run whose child was ended.
func (r *run) last(l Limits) outcome {
	select {
	case <-r.child.gone:
		return r.child.exit.outcome(l)
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
	switch {
	case len(args) > 0:
	case j.Durable != nil && !j.Durable.Tool:
		args = json.RawMessage("null") // a program without input
	default:
		args = json.RawMessage("{}")
	}
	return c.out.Write(wire.Frame{Run: &wire.Run{
		ID: r.id, Program: number, Args: args, Context: j.Context, Durable: j.Durable,
		Network: j.Network, Files: j.Files, Memory: l.Memory, Output: l.Output, CompileOnly: j.CompileOnly, Uses: j.Uses,
	}})
}
