package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
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
}

// Call implements [tool.Tools].
func (c *inner) Call(ctx context.Context, name string, args json.RawMessage) (tool.Result, error) {
	if c.outer.Depth >= sandbox.MaxDepth {
		return tool.Result{}, tool.Fail(tool.PermissionDenied, "'%s' cannot be called: calls may be at most %d deep", name, sandbox.MaxDepth)
	}
	n := c.made.Add(1)
	if n > maxInner {
		return tool.Result{}, tool.Fail(tool.RateLimited, "'%s' cannot be called: a call may make at most %d others", name, maxInner)
	}
	entry, err := c.w.tools.Lookup(c.outer.Tenant, name)
	if err != nil {
		return tool.Result{}, err
	}
	if !c.reaches(&entry.Tool.Definition) {
		return tool.Result{}, tool.Fail(tool.PermissionDenied, "'%s' cannot call '%s': its permissions (%s) do not cover that tool", c.outer.Tool, entry.Tool.Name, strings.Join(c.permissions(), ", "))
	}
	j := c.job(ctx, name, args, int(n))
	out := c.w.engine.Execute(ctx, j)
	if out.Control != nil {
		if ctx.Err() != nil {
			return tool.Result{}, context.Cause(ctx)
		}
		if errors.Is(out.Control, engine.ErrSettled) {
			return tool.Result{}, unknownOutcome()
		}
		return tool.Result{}, tool.Fail(tool.ExecutionError, "'%s' could not be called now; try again", name).Because(out.Control)
	}
	c.onRecord(ctx, c.w.records.outcome(j, &out))
	if out.Err != nil {
		return tool.Result{}, out.Err
	}
	return out.Result, nil
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

// job is the inner call. It may reach no further than the outer one, and its
// token is the outer one's, which may cover it.
func (c *inner) job(ctx context.Context, name string, args json.RawMessage, n int) *engine.Job {
	call := c.outer.Call
	call.ID = call.ID + "~" + strconv.Itoa(n)
	call.Depth++
	call.Files, call.HTTP, call.Tools, call.Secrets, call.CustomTools = nil, nil, nil, nil, nil
	if end, ok := ctx.Deadline(); ok {
		call.Deadline = end
	}
	return &engine.Job{
		Call: call, Name: name, Args: args, Origin: string(policy.JavaScript), Inner: true, Token: c.outer.Token,
		Redelivered: c.outer.Redelivered,
		Within:      append(slices.Clip(c.outer.Within), c.outer.Definition().Scopes),
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
	may := access{c.w.tools, c.w.agents}
	all = slices.DeleteFunc(all, func(def tool.Definition) bool {
		return !c.reaches(&def) || !may.allows(c.outer.Tenant, c.outer.Agent, &def)
	})
	slices.SortFunc(all, func(a, b tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b tool.Definition) bool { return a.Name == b.Name })
}

func (c *inner) permissions() []string {
	return c.w.tools.permissionsOf(c.outer.Tenant, c.outer.Tool)
}

func (c *inner) reaches(def *tool.Definition) bool {
	return dynamic.Reaches(c.permissions(), def, c.w.tools.permissionsOf(c.outer.Tenant, def.Name))
}
