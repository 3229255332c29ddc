package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/provider"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// native is Helve's own format.
const native = "native"

// listTools returns the tools that a call of the agent, or of no agent, may use.
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
		tools = s.runnable(tools)
	}
	tools, next, err := pageOfTools(tools, in.Params["limit"], in.Params["cursor"])
	if err != nil {
		return Reply{}, err
	}
	if !known {
		list := protocol.ToolList{Tools: s.marked(tools), LoadErrors: []protocol.LoadError{}, Next: next}
		if in.Params["cursor"] == "" {
			list.LoadErrors = s.Catalog.LoadErrors()
		}
		return answer(list)
	}
	theirs, err := format.Tools(tools)
	if next == "" || err != nil {
		return Reply{Body: fmt.Appendf(nil, `{"tools":%s}`, theirs)}, err
	}
	return Reply{Body: fmt.Appendf(nil, `{"tools":%s,"next":%q}`, theirs, next)}, nil // a name needs no escaping
}

// pageOfTools returns a page of a list that is sorted by name, and the cursor of the next
// page. Without limit and cursor it is the list as a whole.
func pageOfTools(tools []*tool.Definition, limit, cursor string) (page []*tool.Definition, next string, err error) {
	if limit == "" && cursor == "" {
		return tools, "", nil
	}
	most, err := pageSize(limit)
	if err != nil {
		return nil, "", err
	}
	if cursor != "" {
		if !tool.ValidName(cursor) {
			return nil, "", BadRequest("cursor was not returned by this query; leave it out for the first page")
		}
		at, there := slices.BinarySearchFunc(tools, cursor, func(def *tool.Definition, name string) int {
			return strings.Compare(def.Name, name)
		})
		if there {
			at++
		}
		tools = tools[at:]
	}
	if len(tools) > most {
		tools, next = tools[:most], tools[most-1].Name
	}
	return tools, next, nil
}

// Tools returns the tools of tools.list that can be called now, as definitions for a
// transport with its own format. The definitions are shared and must not be changed.
func (s *Service) Tools(ctx context.Context, in Input) (defs []*tool.Definition, err error) {
	op := Find("tools.list")
	op.run = func(s *Service, ctx context.Context, in Input) (_ Reply, err error) {
		defs, err = s.tools(ctx, in)
		defs = s.runnable(defs)
		return Reply{}, err
	}
	_, err = s.Do(ctx, op, in)
	return defs, err
}

func (s *Service) tools(ctx context.Context, in Input) ([]*tool.Definition, error) {
	view, agent, err := s.view(in)
	if err != nil {
		return nil, err
	}
	filter := catalog.Filter{
		Agent:    agent,
		Group:    in.Params["group"],
		Category: in.Params["category"],
		Query:    in.Params["q"],
	}
	set, unknown := view.Toolset(in.Params["toolset"])
	if unknown != nil {
		return nil, BadRequest("%s", unknown.Msg)
	}
	filter.Set = set
	if filter.Rules, err = s.rulesOf(ctx, in.Tenant, filter.Agent); err != nil {
		return nil, err
	}
	return view.List(filter), nil
}

// KnowsToolset returns the error not_found unless the caller has the tool set of that name.
func (s *Service) KnowsToolset(by identity.Principal, name string) error {
	if _, unknown := s.Catalog.Of(by.Tenant, by.User).Toolset(name); unknown != nil {
		return NotFound("%s", unknown.Msg)
	}
	return nil
}

// view returns the catalogue for the person of the request, and the agent that it is for: the
// credential's, which cannot name another agent, or the agent that the request names.
func (s *Service) view(in Input) (v catalog.View, agent string, err error) {
	by, err := narrow(in, in.Params["user"], in.Params["agent"])
	return s.Catalog.Of(in.Tenant, by.User), by.Agent, err
}

// rulesOf returns the record of an agent, or nil if there is no record or no agent.
func (s *Service) rulesOf(ctx context.Context, tenant, agent string) (*protocol.AgentRules, error) {
	if agent == "" {
		return nil, nil
	}
	if !validName(agent, maxName) {
		return nil, badName("agent", agent, maxName)
	}
	record, found, err := s.Agents.Get(ctx, tenant, agent)
	if err != nil || !found {
		return nil, err
	}
	rules := record.Rules()
	return &rules, nil
}

// getTool returns a tool that the tenant has. If the caller may not use it, it is not enabled,
// with the reason.
func (s *Service) getTool(ctx context.Context, in Input) (Reply, error) {
	view, agent, err := s.view(in)
	if err != nil {
		return Reply{}, err
	}
	def, found := view.Get(in.Params["name"])
	if !found {
		return Reply{}, NotFound("there is no tool %.80q; tools.list names those there are", in.Params["name"])
	}
	rules, err := s.rulesOf(ctx, in.Tenant, agent)
	if err != nil {
		return Reply{}, err
	}
	detail := s.detail(def)
	if def.Enabled && !view.Allows(rules, agent, def) {
		detail.Enabled, detail.Unavailable = false, view.Unavailable(def, agent, def.Name).Msg
	}
	return answer(detail)
}

// listGroups returns all groups, or the group of a tool, and their state, for an agent
// if the request names one.
func (s *Service) listGroups(ctx context.Context, in Input) (Reply, error) {
	view, agent, err := s.view(in)
	if err != nil {
		return Reply{}, err
	}
	rules, err := s.rulesOf(ctx, in.Tenant, agent)
	if err != nil {
		return Reply{}, err
	}
	groups := view.GroupsFor(rules, agent)
	stats := catalog.StatsOf(groups)
	if name := in.Params["tool"]; name != "" {
		group, found := view.GroupOf(name)
		if !found {
			return Reply{}, NotFound("there is no tool %.80q; tools.list names those there are", name)
		}
		groups = slices.DeleteFunc(groups, func(g protocol.Group) bool { return g.Name != group.Name })
	}
	return answer(protocol.GroupList{Groups: groups, Stats: stats})
}
