package catalog

import (
	"cmp"
	"maps"
	"slices"

	"github.com/helve-dev/helve/protocol"
)

// Diagnostics is the group of the operators' own tools. Its tools are in the catalog
// only if the operator enables them, and an agent has them only if its record names
// them.
const Diagnostics = "diagnostics"

// UseTool is the tool that delegates to another tool.
const UseTool = "use_tool"

// AskUser is the tool that asks the person.
const AskUser = "ask_user"

// BatchUseTool is the tool that calls several other tools.
const BatchUseTool = "batch_use_tool"

// meta are the tools that find and call others: every agent that searches for tools has
// them.
var meta = []string{"search_tools", "get_tool_help", UseTool, BatchUseTool, "list_tool_groups"}

// Groups returns all groups, sorted by name, even those without tools here; the
// diagnostics only if they are enabled.
func (v View) Groups() []protocol.Group {
	byName := map[string]*protocol.Group{}
	for name := range known {
		if name != Diagnostics {
			byName[name] = v.group(name)
		}
	}
	for _, def := range v.All() {
		if !v.concerns(def) {
			continue
		}
		g := byName[def.Group]
		if g == nil {
			g = v.group(def.Group)
			byName[def.Group] = g
		}
		g.Category = cmp.Or(g.Category, def.Category)
		g.Tools = append(g.Tools, def.Name)
	}
	groups := make([]protocol.Group, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		groups = append(groups, *byName[name])
	}
	return groups
}

// GroupsFor returns the groups for one agent: for each, the tools that it may use and
// whether there are any. Without an agent it returns [View.Groups].
func (v View) GroupsFor(rules *protocol.AgentRules, agent string) []protocol.Group {
	groups := v.Groups()
	if agent == "" {
		return groups
	}
	mine := map[string]bool{}
	for _, def := range v.List(Filter{Agent: agent, Rules: rules}) {
		mine[def.Name] = true
	}
	for i := range groups {
		groups[i].Tools = slices.DeleteFunc(groups[i].Tools, func(name string) bool { return !mine[name] })
		groups[i].Enabled = len(groups[i].Tools) > 0
	}
	return groups
}

func (v View) group(name string) *protocol.Group {
	g := about(name)
	return &protocol.Group{
		Name: name, Title: g.Title, Description: g.Description,
		Enabled: v.switches.usual(v.tenant, name), DefaultEnabled: g.Default, SwitchedOff: v.switches.off(v.tenant, name),
		DependsOn: append([]string{}, g.DependsOn...), Tools: []string{},
	}
}

// GroupOf returns the group of a tool, by the tool's name or alias.
func (v View) GroupOf(name string) (protocol.Group, bool) {
	def, ok := v.Get(name)
	if !ok {
		return protocol.Group{}, false
	}
	for _, g := range v.Groups() {
		if g.Name == def.Group {
			return g, true
		}
	}
	return protocol.Group{}, false
}

// StatsOf counts groups and their tools; the counts of those enabled by default, and
// not, are of groups.
func StatsOf(groups []protocol.Group) protocol.GroupStats {
	s := protocol.GroupStats{Groups: len(groups)}
	for _, g := range groups {
		s.Tools += len(g.Tools)
		if g.Enabled {
			s.EnabledTools += len(g.Tools)
		}
		if g.SwitchedOff {
			s.SwitchedOffTools += len(g.Tools)
		}
		if g.DefaultEnabled {
			s.EnabledDefault++
		} else {
			s.DisabledDefault++
		}
	}
	return s
}
