package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/dynamic"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/sandbox"
	"github.com/helve-dev/helve/tool"
)

// maxInner is how many calls one call may make.
const maxInner = 50

// inner makes calls in the name of a running one. They run here and now, on the
// slot of the outer call, through the whole pipeline: with an id, a fence, a
// decision and records of their own. It implements [tool.Tools].
type inner struct {
	w     *Worker
	outer *engine.Job
	made  atomic.Int32
	fence struct {
		once sync.Once
		err  error
	}
}

// Call implements [tool.Tools].
func (c *inner) Call(ctx context.Context, name string, args json.RawMessage) (tool.Result, error) {
	n := int(c.made.Add(1))
	j := c.job(ctx, name, args, n)
	j.Origin, j.Reach = string(policy.JavaScript), func(t *tool.Tool) error { return c.bound(n, t) }
	j.Within = append(j.Within, c.outer.Definition().Scopes)
	res, err := c.run(ctx, j)
	if err != nil {
		return tool.Result{}, err
	}
	return res, nil
}

// Batch implements [tool.Tools]. The number of a call in the list is part of its id,
// so that a batch that is delivered again finds what it has started.
func (c *inner) Batch(ctx context.Context, calls []tool.InnerCall) []tool.InnerOutcome {
	outcomes := make([]tool.InnerOutcome, len(calls))
	var all sync.WaitGroup
	for i, call := range calls {
		all.Go(func() {
			j := c.job(ctx, call.Tool, call.Arguments, i+1)
			j.Origin, j.Reach = string(policy.Batch), c.notAgain
			outcomes[i].Result, outcomes[i].Err = c.run(ctx, j)
		})
	}
	all.Wait()
	return outcomes
}

// begins fences the outer call when the first of its calls is about to act, unless it
// has a fence of its own: from then on nobody may say that it did nothing. Where
// somebody has said so already, the inner call does not act.
func (c *inner) begins(ctx context.Context) error {
	c.fence.once.Do(func() { c.fence.err = ledger{c.w}.beginWithin(ctx, c.outer) })
	if c.fence.err == nil {
		c.outer.Acts()
	}
	return c.fence.err
}

// notAgain keeps a batch out of a batch.
func (c *inner) notAgain(t *tool.Tool) error {
	if t.Name == c.outer.Tool {
		return tool.Fail(tool.ValidationError, "'%s' cannot call itself; put its calls into this one", t.Name)
	}
	return nil
}

// run takes an inner call through the pipeline.
func (c *inner) run(ctx context.Context, j *engine.Job) (tool.Result, *tool.Error) {
	out := c.w.engine.Execute(ctx, j)
	if out.Control != nil {
		out.Err = withoutAnswer(ctx, j.Name, out.Control)
	}
	c.onRecord(ctx, c.w.records.outcome(j, &out))
	return out.Result, out.Err
}

// withoutAnswer is the end of an inner call that the engine would try again, or leave
// to others: there is nobody who could.
func withoutAnswer(ctx context.Context, name string, control error) *tool.Error {
	switch {
	case errors.Is(control, engine.ErrSettled):
		return unknownOutcome()
	case ctx.Err() != nil:
		return tool.Fail(tool.Cancelled, "the call that made this one ended before it did").Because(control)
	}
	return tool.Fail(tool.ExecutionError, "'%s' could not be called now; try again", name).Because(control)
}

// bound refuses an inner call that goes too far: too deep, too often, or to a tool
// that the permissions of the code which makes it do not cover. Those are the ones
// of the version that runs, whatever the tool was allowed since.
func (c *inner) bound(n int, t *tool.Tool) error {
	switch {
	case c.outer.Depth >= sandbox.MaxDepth:
		return tool.Fail(tool.PermissionDenied, "'%s' cannot be called: calls may be at most %d deep", t.Name, sandbox.MaxDepth)
	case n > maxInner:
		return tool.Fail(tool.RateLimited, "'%s' cannot be called: a call may make at most %d others", t.Name, maxInner)
	case !dynamic.Reaches(c.outer.Permissions(), &t.Definition, t.Permissions):
		return tool.Fail(tool.PermissionDenied, "'%s' cannot call '%s': its permissions (%s) do not cover that tool", c.outer.Tool, t.Name, strings.Join(c.outer.Permissions(), ", "))
	}
	return nil
}

// onRecord stores the record of an inner call, and waits for that while the outer
// call has time: the queue holds the outer one, and nobody else knows of this.
func (c *inner) onRecord(ctx context.Context, r *audit.Record) {
	stored := make(chan struct{})
	c.w.record(r, c.w.records.Send, func() { close(stored) })
	select {
	case <-stored:
	case <-ctx.Done():
	}
}

// job is the inner call. It reaches no further than the outer one was let, and its
// token is the outer one's, which may cover it.
func (c *inner) job(ctx context.Context, name string, args json.RawMessage, n int) *engine.Job {
	call := c.outer.Call
	call.ID = call.ID + "~" + strconv.Itoa(n)
	call.Depth++
	call.About = ""
	call.ClearPorts()
	if end, ok := ctx.Deadline(); ok {
		call.Deadline = end
	}
	return &engine.Job{
		Call: call, Name: name, Args: args, Timeout: c.outer.Timeout, Inner: true, Begins: c.begins, Token: c.outer.Token, Redelivered: c.outer.Redelivered,
		Within: slices.Clip(c.outer.Within),
	}
}

// List implements [tool.Tools].
func (c *inner) List() []tool.Definition {
	all := c.w.tools.definitions()
	if c.w.tools.custom != nil {
		for _, def := range c.w.tools.custom.Definitions(c.outer.Tenant) {
			all = append(all, *def)
		}
	}
	all = append(all, c.w.tools.remote.Definitions(c.outer.Tenant)...)
	may := c.w.access()
	all = slices.DeleteFunc(all, func(def tool.Definition) bool {
		return !dynamic.Reaches(c.outer.Permissions(), &def, c.w.tools.permissionsOf(c.outer.Tenant, def.Name)) ||
			!may.allows(c.outer.Tenant, c.outer.Agent, &def) || !def.BoundTo.Hold(c.outer.Tenant, c.outer.Agent, c.outer.Conversation)
	})
	slices.SortFunc(all, func(a, b tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b tool.Definition) bool { return a.Name == b.Name })
}
