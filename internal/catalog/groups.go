package catalog

import (
	"cmp"
	"maps"
	"slices"
)

// Diagnostics is the group of the operators' own tools. Its tools are in the
// catalog only when they were asked for, and no agent has them unless its
// record names them.
const Diagnostics = "diagnostics"

// UseTool is the tool that is only a way to another.
const UseTool = "use_tool"

// meta are the tools by which others are found and called: whoever looks for a tool
// has them.
var meta = []string{"search_tools", "get_tool_help", UseTool, "batch_use_tool", "list_tool_groups"}

// Group is a set of tools that is switched on and off together, as one tenant has
// it.
type Group struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// Category is that of its first tool, empty if it has none.
	Category string `json:"category"`
	// Enabled says that an agent has it without a record that names it.
	Enabled bool `json:"enabled"`
	// DefaultEnabled is Enabled as long as nobody switches anything.
	DefaultEnabled bool `json:"default_enabled"`
	// SwitchedOff says that nobody has it, whatever a record says.
	SwitchedOff bool     `json:"switched_off"`
	DependsOn   []string `json:"depends_on"`
	// Tools are the names of the group's tools, sorted.
	Tools []string `json:"tools"`
}

// Groups returns all groups, also those that have no tools here, by name; of the
// diagnostics only if they were asked for.
func (v View) Groups() []Group {
	byName := map[string]*Group{}
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
	groups := make([]Group, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		groups = append(groups, *byName[name])
	}
	return groups
}

func (v View) group(name string) *Group {
	g := about(name)
	return &Group{
		Name: name, Title: g.Title, Description: g.Description,
		Enabled: v.switches.usual(v.tenant, name), DefaultEnabled: g.Default, SwitchedOff: v.switches.off(v.tenant, name),
		DependsOn: append([]string{}, g.DependsOn...), Tools: []string{},
	}
}

// GroupOf returns the group of a tool, by name or alias.
func (v View) GroupOf(name string) (Group, bool) {
	def, ok := v.Get(name)
	if !ok {
		return Group{}, false
	}
	for _, g := range v.Groups() {
		if g.Name == def.Group {
			return g, true
		}
	}
	return Group{}, false
}

// Stats counts groups and tools.
type Stats struct {
	Groups           int `json:"total_groups"`
	Tools            int `json:"total_tools"`
	EnabledTools     int `json:"enabled_tools"`
	EnabledDefault   int `json:"enabled_by_default"`
	DisabledDefault  int `json:"disabled_by_default"`
	SwitchedOffTools int `json:"switched_off_tools"`
}

// StatsOf sums up groups: the counts of those enabled by default, and not, are of
// groups.
func StatsOf(groups []Group) Stats {
	s := Stats{Groups: len(groups)}
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
