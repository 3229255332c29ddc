package nested

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Options holds what the nested calls of a worker share.
type Options struct {
	Worker string // its id
	// Pass passes a job through the pipeline.
	Pass     func(ctx context.Context, j *engine.Job) engine.Outcome
	Executor *execution.Executor
	// Records writes the records of nested calls.
	Records execution.Records
	Tracing *telemetry.Tracing
	Tools   Tools
	// Allows reports whether an agent may use a tool.
	Allows func(tenant, agent string, def *tool.Definition) bool
	// Most bounds the calls of the whole tree of a call.
	Most int64
}

// Tools are the tools of a worker.
type Tools interface {
	// AllOf returns the definitions of all tools that a person has.
	AllOf(tenant, user string) []tool.Definition
	// PermissionsOf returns the permissions of the code of a tool that a model wrote.
	PermissionsOf(tenant, user, name string) []string
}

// Calls makes calls on behalf of a running call. They run immediately, on the slot of
// the outer call, through the whole pipeline: with an id, a fence, a decision and records
// of their own. It implements [tool.Tools].
type Calls struct {
	*Options

	outer *engine.Job
	made  atomic.Int32
	fence struct {
		once sync.Once
		err  error
	}
}

// New returns the calls that a running call may make.
func New(o *Options, outer *engine.Job) *Calls {
	if outer.Tree == nil {
		outer.Tree = new(atomic.Int64)
	}
	return &Calls{Options: o, outer: outer}
}

// Call implements [tool.Tools].
func (c *Calls) Call(ctx context.Context, name string, args json.RawMessage) (tool.Result, error) {
	n, total := int(c.made.Add(1)), c.outer.Tree.Add(1)
	// The first call beyond a bound is recorded as refused. Further calls of the script
	// are refused without a record: they would fill the trail.
	if n > maxNested+1 {
		return tool.Result{}, tooMany(name)
	}
	if total > c.Most+1 {
		return tool.Result{}, c.treeFull(name)
	}
	j := c.job(ctx, name, args, n)
	j.Via, j.Reach = string(policy.JavaScript), func(t *tool.Tool) error { return c.bound(n, total, t) }
	j.Within = append(j.Within, c.outer.Definition().Scopes)
	res, err := c.run(ctx, j)
	if err != nil {
		return tool.Result{}, err
	}
	return res, nil
}

// Batch implements [tool.Tools]. The number of a call among those of the outer call is
// part of its id, so that a redelivered batch finds the calls that it has started.
func (c *Calls) Batch(ctx context.Context, calls []tool.InnerCall) []tool.InnerOutcome {
	outcomes := make([]tool.InnerOutcome, len(calls))
	before := int(c.made.Add(int32(len(calls)))) - len(calls)
	var all gopool.Group
	for i, call := range calls {
		total := c.outer.Tree.Add(1)
		all.Go(func() {
			j := c.job(ctx, call.Tool, call.Arguments, before+i+1)
			j.Via, j.Reach = string(policy.Batch), func(t *tool.Tool) error { return c.notAgain(total, t) }
			outcomes[i].Result, outcomes[i].Err = c.run(ctx, j)
		})
	}
	all.Wait()
	return outcomes
}

// beforeEffect fences the outer call when the first of its calls is about to act, unless it
// has a fence of its own: from then on it may not end as a call that did nothing. If it has
// ended so already, the nested call does not act.
func (c *Calls) beforeEffect(ctx context.Context) error {
	c.fence.once.Do(func() { c.fence.err = c.Executor.Ledger().BeginNested(ctx, c.outer) })
	if c.fence.err == nil {
		c.outer.MarkEffect()
	}
	return c.fence.err
}

// run passes a nested call through the pipeline.
func (c *Calls) run(ctx context.Context, j *engine.Job) (tool.Result, *tool.Error) {
	ctx, span := c.Tracing.StartCall(ctx, "", telemetry.CallSpan{
		Tool:   j.Name,
		CallID: j.ID,
		Tenant: j.Tenant,
		Pool:   c.outer.Definition().Pool,
		Worker: c.Worker,
	})
	j.SpanID = telemetry.SpanID(span)
	out := c.Pass(ctx, j)
	telemetry.EndCall(span, execution.ErrorType(&out))
	if out.Control != nil {
		out.Err = withoutAnswer(ctx, j, out.Control)
	}
	c.outer.NoteWritten(out.Result.Files)
	c.onRecord(ctx, execution.FinalRecord(c.Records, j, &out))
	return out.Result, out.Err
}

// withoutAnswer returns the error of a nested call that the engine would try again, or leave
// to another worker: neither is possible.
func withoutAnswer(ctx context.Context, j *engine.Job, control error) *tool.Error {
	switch {
	case errors.Is(control, engine.ErrAlreadyFinished):
		return j.Uncertain(execution.UnknownOutcome())
	case ctx.Err() != nil:
		return tool.Fail(tool.Cancelled, "the call that made this one ended before it did").Because(control)
	}
	return tool.Fail(tool.ExecutionError, "'%s' could not be called now; try again", j.Name).Because(control)
}

// onRecord stores the record of a nested call, and waits for that while the outer call has
// time: no other process knows of the nested call.
func (c *Calls) onRecord(ctx context.Context, r *protocol.AuditRecord) {
	stored := make(chan struct{})
	c.Executor.Record(r, func() { close(stored) })
	select {
	case <-stored:
	case <-ctx.Done():
	}
}

// job returns the nested call. Its scopes are within those of the outer call, and its token
// is that of the outer call, which may cover it.
func (c *Calls) job(ctx context.Context, name string, args json.RawMessage, n int) *engine.Job {
	call := c.outer.Call
	call.ID = call.ID + "~" + strconv.Itoa(n)
	call.Depth++
	call.About, call.Shown = "", nil
	call.ClearPorts()
	if end, ok := ctx.Deadline(); ok {
		call.Deadline = end
	}
	return &engine.Job{
		Call: call, Name: name, Args: args, Timeout: c.outer.Timeout, Nested: true, Tree: c.outer.Tree, BeforeEffect: c.beforeEffect,
		Token: c.outer.Token, Redelivered: c.outer.Redelivered, Bound: c.outer.Bound,
		Within: slices.Clip(c.outer.Within), Programs: c.outer.Programs,
	}
}

// List implements [tool.Tools].
func (c *Calls) List() []tool.Definition {
	all := c.Tools.AllOf(c.outer.Tenant, c.outer.User)
	all = slices.DeleteFunc(all, func(def tool.Definition) bool {
		return !permission.Reaches(c.outer.Permissions(), &def, c.Tools.PermissionsOf(c.outer.Tenant, c.outer.User, def.Name)) ||
			!c.Allows(c.outer.Tenant, c.outer.Agent, &def) || !def.BoundTo.Hold(c.outer.Tenant, c.outer.Agent, c.outer.Conversation)
	})
	slices.SortFunc(all, func(a, b tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b tool.Definition) bool { return a.Name == b.Name })
}
