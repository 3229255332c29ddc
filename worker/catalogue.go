package worker

import (
	"context"

	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// shop is the catalogue as the agent of one call sees it: of all workers, since
// what it finds need not run here. It implements [tool.Catalogue].
type shop struct {
	w *Worker
	j *engine.Job
}

func (s shop) view() catalog.View { return s.w.catalogue.Of(s.j.Tenant).In(s.j.Conversation) }

func (s shop) rules() *catalog.AgentRules { return s.w.agents.Rules(s.j.Tenant, s.j.Agent) }

// Search implements [tool.Catalogue].
func (s shop) Search(_ context.Context, q tool.Search) (tool.Found, error) {
	return s.view().Search(s.rules(), s.j.Agent, q), nil
}

// Lookup implements [tool.Catalogue].
func (s shop) Lookup(name string) (*tool.Definition, bool) {
	view := s.view()
	def, ok := view.Lookup(name)
	if !ok || !view.Allows(s.rules(), s.j.Agent, def) {
		return nil, false
	}
	return def, true
}

// Near implements [tool.Catalogue].
func (s shop) Near(name string, n int) []string {
	return s.view().Near(s.rules(), s.j.Agent, name, n)
}

// Groups implements [tool.Catalogue].
func (s shop) Groups() []tool.GroupState {
	view, mine := s.view(), map[string]bool{}
	for _, def := range view.List(catalog.Filter{Agent: s.j.Agent, Rules: s.rules()}) {
		mine[def.Name] = true
	}
	states := []tool.GroupState{}
	for _, g := range view.Groups() {
		state := tool.GroupState{
			Name: g.Name, Title: g.Title, Description: g.Description, Default: g.DefaultEnabled,
			DependsOn: g.DependsOn, Tools: []string{},
		}
		for _, name := range g.Tools {
			if mine[name] {
				state.Enabled = true
				state.Tools = append(state.Tools, name)
			}
		}
		states = append(states, state)
	}
	return states
}
