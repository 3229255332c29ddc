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

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/internal/execution/adapters"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// maxNested bounds the calls that one call of a script may make. The whole tree of a call
// is bounded by worker.max_inner_calls.
const maxNested = 50

// nestedCalls makes calls on behalf of a running call. They run immediately, on the slot of
// the outer call, through the whole pipeline: with an id, a fence, a decision and records
// of their own. It implements [tool.Tools].
type nestedCalls struct {
	w     *Worker
	outer *engine.Job
	made  atomic.Int32
	fence struct {
		once sync.Once
		err  error
	}
}

// Call implements [tool.Tools].
func (c *nestedCalls) Call(ctx context.Context, name string, args json.RawMessage) (tool.Result, error) {
	n, total := int(c.made.Add(1)), c.outer.Tree.Add(1)
	// The first call beyond a bound is recorded as refused. Further calls of the script
	// are refused without a record: they would fill the trail.
	if n > maxNested+1 {
		return tool.Result{}, tooMany(name)
	}
	if total > c.most()+1 {
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
func (c *nestedCalls) Batch(ctx context.Context, calls []tool.InnerCall) []tool.InnerOutcome {
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
func (c *nestedCalls) beforeEffect(ctx context.Context) error {
	c.fence.once.Do(func() { c.fence.err = c.w.calls.Ledger().BeginNested(ctx, c.outer) })
	if c.fence.err == nil {
		c.outer.MarkEffect()
	}
	return c.fence.err
}

// notAgain refuses a batch within a batch.
func (c *nestedCalls) notAgain(total int64, t *tool.Tool) error {
	switch {
	case t.Name == c.outer.Tool:
		return tool.Fail(tool.ValidationError, "'%s' cannot call itself; put its calls into this one", t.Name)
	case total > c.most():
		return c.treeFull(t.Name)
	}
	return nil
}

func (c *nestedCalls) most() int64 { return int64(c.w.cfg.Worker.MaxInnerCalls) }

func tooMany(name string) *tool.Error {
	return tool.Fail(tool.RateLimited,
		"'%.64s' cannot be called: a call may make at most %d others; do more in each, or return and let the caller go on", name, maxNested)
}

func (c *nestedCalls) treeFull(name string) *tool.Error {
	return tool.Fail(tool.RateLimited,
		"'%.64s' cannot be called: one call and all that it calls in turn may make at most %d calls; do more in each, or split the work over "+
			"several calls",
		name, c.most())
}

// run passes a nested call through the pipeline.
func (c *nestedCalls) run(ctx context.Context, j *engine.Job) (tool.Result, *tool.Error) {
	ctx, span := c.w.kit.Tracing.StartCall(ctx, "", telemetry.CallSpan{
		Tool:   j.Name,
		CallID: j.ID,
		Tenant: j.Tenant,
		Pool:   c.outer.Definition().Pool,
		Worker: c.w.ID(),
	})
	j.SpanID = telemetry.SpanID(span)
	out := c.w.engine.Execute(ctx, j)
	telemetry.EndCall(span, execution.ErrorType(&out))
	if out.Control != nil {
		out.Err = withoutAnswer(ctx, j, out.Control)
	}
	c.outer.NoteWritten(out.Result.Files)
	c.onRecord(ctx, execution.FinalRecord(adapters.AuditWriter{Trail: c.w.trail}, j, &out))
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

// bound refuses a nested call that is too deep, one too many, or of a tool that the
// permissions of the calling code do not cover. These are the permissions of the version
// that runs, also if they were changed since.
func (c *nestedCalls) bound(n int, total int64, t *tool.Tool) error {
	switch {
	case c.outer.Depth >= permission.MaxDepth:
		return tool.Fail(tool.PermissionDenied, "'%s' cannot be called: calls may be at most %d deep", t.Name, permission.MaxDepth)
	case n > maxNested:
		return tooMany(t.Name)
	case total > c.most():
		return c.treeFull(t.Name)
	case !permission.Reaches(c.outer.Permissions(), &t.Definition, t.Permissions):
		has := "it has no permissions, and may call only tools of low risk that change nothing and reach nothing outside"
		if may := c.outer.Permissions(); len(may) > 0 {
			has = "its permissions, " + strings.Join(may, ", ") + ", do not cover that tool"
		}
		return tool.Fail(tool.PermissionDenied, "'%s' cannot call '%s': %s", c.outer.Tool, t.Name, has)
	}
	return nil
}

// onRecord stores the record of a nested call, and waits for that while the outer call has
// time: no other process knows of the nested call.
func (c *nestedCalls) onRecord(ctx context.Context, r *protocol.AuditRecord) {
	stored := make(chan struct{})
	c.w.calls.Record(r, func() { close(stored) })
	select {
	case <-stored:
	case <-ctx.Done():
	}
}

// job returns the nested call. Its scopes are within those of the outer call, and its token
// is that of the outer call, which may cover it.
func (c *nestedCalls) job(ctx context.Context, name string, args json.RawMessage, n int) *engine.Job {
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
		Within: slices.Clip(c.outer.Within),
	}
}

// List implements [tool.Tools].
func (c *nestedCalls) List() []tool.Definition {
	all := c.w.tools.Definitions()
	if custom := c.w.tools.Custom(); custom != nil {
		for _, def := range custom.Definitions(c.outer.Tenant, c.outer.User) {
			all = append(all, *def)
		}
	}
	all = append(all, c.w.tools.Remote(c.outer.Tenant)...)
	may := c.w.access()
	all = slices.DeleteFunc(all, func(def tool.Definition) bool {
		return !permission.Reaches(c.outer.Permissions(), &def, c.w.tools.PermissionsOf(c.outer.Tenant, c.outer.User, def.Name)) ||
			!may.allows(c.outer.Tenant, c.outer.Agent, &def) || !def.BoundTo.Hold(c.outer.Tenant, c.outer.Agent, c.outer.Conversation)
	})
	slices.SortFunc(all, func(a, b tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b tool.Definition) bool { return a.Name == b.Name })
}
