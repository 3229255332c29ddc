package api

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/provider"
	"github.com/helve-dev/helve/tool"
)

// ToolList answers tools.list in the native format.
type ToolList struct {
	Tools      []*tool.Definition  `json:"tools"`
	LoadErrors []catalog.LoadError `json:"load_errors"`
}

// GroupList answers groups.list.
type GroupList struct {
	Groups []catalog.Group `json:"groups"`
	Stats  catalog.Stats   `json:"stats"`
}

// native is the format that is no provider's.
const native = "native"

// listTools answers with the tools a call of that agent, or of no agent, may use.
func (s *Service) listTools(ctx context.Context, in Input) (Reply, error) {
	format, known := provider.Parse(in.Params["format"])
	if !known && in.Params["format"] != "" && in.Params["format"] != native {
		return Reply{}, BadRequest("format %.80q is not known; use one of %s, %s", in.Params["format"], native, toolFormats)
	}
	tools, err := s.tools(ctx, in)
	if err != nil {
		return Reply{}, err
	}
	if known {
		theirs, err := format.Tools(tools)
		return Reply{Body: fmt.Appendf(nil, `{"tools":%s}`, theirs)}, err
	}
	return answer(ToolList{tools, s.catalog.LoadErrors()})
}

// Tools is tools.list as definitions, for a transport that writes them its own way.
// What they point to may not be changed.
func (s *Service) Tools(ctx context.Context, in Input) (defs []*tool.Definition, err error) {
	op := Find("tools.list")
	op.run = func(s *Service, ctx context.Context, in Input) (_ Reply, err error) {
		defs, err = s.tools(ctx, in)
		return Reply{}, err
	}
	_, err = s.Do(ctx, op, in)
	return defs, err
}

func (s *Service) tools(ctx context.Context, in Input) ([]*tool.Definition, error) {
	filter := catalog.Filter{
		Agent:    in.Params["agent"],
		Group:    in.Params["group"],
		Category: in.Params["category"],
		Query:    in.Params["q"],
	}
	if filter.Agent != "" {
		if !validName(filter.Agent, maxName) {
			return nil, badName("agent", filter.Agent, maxName)
		}
		record, found, err := s.agents.Get(ctx, in.Tenant, filter.Agent)
		if err != nil {
			return nil, err
		}
		if found {
			filter.Rules = &record.AgentRules
		}
	}
	return s.catalog.Of(in.Tenant).List(filter), nil
}

func (s *Service) getTool(_ context.Context, in Input) (Reply, error) {
	def, found := s.catalog.Of(in.Tenant).Get(in.Params["name"])
	if !found {
		return Reply{}, NotFound("there is no tool %.80q; tools.list names those there are", in.Params["name"])
	}
	return answer(def)
}

// listGroups answers with all groups, or with the one of a tool, and what they come
// to.
func (s *Service) listGroups(_ context.Context, in Input) (Reply, error) {
	view := s.catalog.Of(in.Tenant)
	groups := view.Groups()
	stats := catalog.StatsOf(groups)
	if name := in.Params["tool"]; name != "" {
		group, found := view.GroupOf(name)
		if !found {
			return Reply{}, NotFound("there is no tool %.80q; tools.list names those there are", name)
		}
		groups = []catalog.Group{group}
	}
	return answer(GroupList{groups, stats})
}
