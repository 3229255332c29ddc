package toolsdoc

import (
	"context"
	"encoding/json"

	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// catalogue returns the catalogue of the world's tools, as an agent without a record
// sees it.
func (s *stage) catalogue() tool.Catalogue {
	s.Helper()
	all := catalog.New()
	for _, tl := range s.tools {
		must(s, all, all.Put(tl.Definition))
	}
	return shop{catalog.NewTenants(all).Of(s.tenant, "")}
}

type shop struct{ catalog.View }

func (s shop) Search(_ context.Context, q tool.Search) (tool.Found, error) {
	return s.View.Search(nil, agent, q), nil
}

func (s shop) Lookup(name string) (*tool.Definition, bool) {
	def, ok := s.View.Lookup(name)
	return def, ok && s.Allows(nil, agent, def)
}

func (s shop) Near(name string, n int) []string { return s.View.Near(nil, agent, name, n) }

func (s shop) Groups() []tool.GroupState {
	var states []tool.GroupState
	for _, g := range s.View.Groups() {
		state := tool.GroupState{
			Name: g.Name, Title: g.Title, Description: g.Description, Enabled: g.Enabled && len(g.Tools) > 0, Default: g.DefaultEnabled,
			DependsOn: g.DependsOn, Tools: []string{},
		}
		if state.Enabled {
			state.Tools = g.Tools
		}
		states = append(states, state)
	}
	return states
}

// inner makes nested calls on the stage of the outer call.
type inner struct{ *stage }

func (i inner) Call(ctx context.Context, name string, args json.RawMessage) (tool.Result, error) {
	tl := i.tools[name]
	if tl == nil {
		return tool.Result{}, tool.Fail(tool.ToolNotFound, "Tool '%s' not found", name)
	}
	return i.run(ctx, tl, string(args))
}

func (i inner) Batch(ctx context.Context, calls []tool.InnerCall) []tool.InnerOutcome {
	var all []tool.InnerOutcome
	for _, c := range calls {
		res, err := i.Call(ctx, c.Tool, c.Arguments)
		all = append(all, tool.InnerOutcome{Result: res, Err: tool.AsError(err)})
	}
	return all
}

func (i inner) List() []tool.Definition {
	var all []tool.Definition
	for _, tl := range i.tools {
		all = append(all, tl.Definition)
	}
	return all
}
