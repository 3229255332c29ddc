package toolbox

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// AgentCatalog is the catalogue as the agent of one call sees it: of all workers, since the
// tools that it finds need not run here. It implements [tool.Catalogue].
type AgentCatalog struct {
	All    *catalog.Tenants
	Agents *catalog.Agents
	Job    *engine.Job
}

func (c AgentCatalog) view() catalog.View {
	return c.All.Of(c.Job.Tenant, c.Job.User).In(c.Job.Conversation)
}

func (c AgentCatalog) rules() *protocol.AgentRules { return c.Agents.Rules(c.Job.Tenant, c.Job.Agent) }

// Search implements [tool.Catalogue].
func (c AgentCatalog) Search(_ context.Context, q tool.Search) (tool.Found, error) {
	return c.view().Search(c.rules(), c.Job.Agent, q), nil
}

// Lookup implements [tool.Catalogue].
func (c AgentCatalog) Lookup(name string) (*tool.Definition, bool) {
	view := c.view()
	def, ok := view.Lookup(name)
	if !ok || !view.Allows(c.rules(), c.Job.Agent, def) {
		return nil, false
	}
	return def, true
}

// Near implements [tool.Catalogue].
func (c AgentCatalog) Near(name string, n int) []string {
	return c.view().Near(c.rules(), c.Job.Agent, name, n)
}

// Groups implements [tool.Catalogue].
func (c AgentCatalog) Groups() []tool.GroupState {
	view, mine := c.view(), map[string]bool{}
	for _, def := range view.List(catalog.Filter{Agent: c.Job.Agent, Rules: c.rules()}) {
		mine[def.Name] = true
	}
	states := []tool.GroupState{}
	for _, g := range view.GroupsFor(c.rules(), c.Job.Agent) {
		// Of a group that the call has, tools that are bound to another conversation are not
		// for it; a group that is off has the tools that it would have.
		g.Tools = slices.DeleteFunc(g.Tools, func(name string) bool { return g.Enabled && !mine[name] })
		states = append(states, tool.GroupState{
			Name: g.Name, Title: g.Title, Description: g.Description, Enabled: g.Enabled, Default: g.DefaultEnabled,
			DependsOn: g.DependsOn, Tools: g.Tools,
		})
	}
	return states
}
