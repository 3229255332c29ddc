package adapters

import (
	"context"
	"encoding/json"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// Router finds the lanes of calls that this worker should not run. It implements
// [execution.Router].
type Router struct {
	Worker string // its id
	// Fleet returns the live workers, Binder the bindings of users to them.
	Fleet     func() *fleet.Fleet
	Binder    func() *affinity.Binder
	Catalogue *catalog.Tenants
}

// Home implements [execution.Router]. A call in a lane for workers of a kind stays: the
// worker that its user is bound to lacks its tool.
func (r Router) Home(ctx context.Context, c *execution.Call) (execution.Home, bool, error) {
	if c.Home == r.Worker || queue.IsKind(c.Lane) || len(r.Fleet().Homes(c.Pool)) == 0 {
		return execution.Home{}, false, nil
	}
	name, via := r.needed(c)
	if def, ok := r.Catalogue.Of(c.Tenant, c.User).Get(c.Tool); ok && (def.Kind == tool.KindDynamic || def.Kind == tool.KindRemote) {
		name = "" // any worker runs it
	}
	home, ok, err := r.Binder().Home(ctx, c.Pool, affinity.Person{Tenant: c.Tenant, User: c.User}, name, via)
	if err != nil || !ok {
		return execution.Home{}, false, err
	}
	var e call.Call
	home.Put(&e, c.Lane)
	return execution.Home{Worker: e.Home, Lane: e.Lane, Moved: e.Rehomed}, true, nil
}

// Lane implements [execution.Router].
func (r Router) Lane(c *execution.Call) (lane string, ok bool, reason string) {
	name, via := r.needed(c)
	switch p := r.Fleet().Place(c.Pool, name, via); {
	case p.Able > 0 && p.Kind != "":
		return queue.LaneOfKind(p.Kind), true, ""
	case p.Able > 0: // their announcement is not up to date
		return queue.Quick, true, ""
	case c.Waits:
		return queue.LaneWaiting, true, ""
	default:
		return "", false, p.Missing(c.Pool)
	}
}

// Commits implements [execution.Router].
func (r Router) Commits(c *execution.Call) bool {
	if c.Tool == catalog.UseTool {
		return true // it may lead to such a tool
	}
	def, ok := r.Catalogue.Of(c.Tenant, c.User).Lookup(c.Tool)
	return ok && def.Transactional
}

// needed returns the names of the tools that a worker must have to run a call: its own,
// and the tool that it delegates to.
func (r Router) needed(c *execution.Call) (name, via string) {
	if c.Tool != catalog.UseTool {
		return c.Tool, ""
	}
	var args struct {
		ToolName string `json:"tool_name"`
	}
	if json.Unmarshal(c.Arguments, &args) != nil {
		return c.Tool, ""
	}
	def, ok := r.Catalogue.Of(c.Tenant, c.User).Lookup(args.ToolName)
	if !ok || def.Kind == tool.KindDynamic || def.Kind == tool.KindRemote {
		return c.Tool, ""
	}
	return c.Tool, def.Name
}
