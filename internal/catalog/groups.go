package catalog

import (
	"cmp"
	"slices"

	"github.com/helve-dev/helve/tool"
)

// Diagnostics is the group of the operators' own tools. Its tools are in the
// catalog only when they were asked for, and no agent has them unless its
// record names them.
const Diagnostics = "diagnostics"

// UseTool is the tool that is only a way to another.
const UseTool = "use_tool"

// Group is a set of tools that is switched on and off together.
type Group struct {
	Name     string `json:"name"`
	Category string `json:"category"`
	Enabled  bool   `json:"enabled"`
	// Tools are the names of the group's tools, sorted.
	Tools []string `json:"tools"`
}

// Groups returns the groups that have tools, by name. A group's category is
// that of its first tool.
func (c *Catalog) Groups() []Group {
	s := c.now.Load()
	at := map[string]int{}
	groups := []Group{}
	for _, def := range s.sorted {
		i, known := at[def.Group]
		if !known {
			i = len(groups)
			at[def.Group] = i
			groups = append(groups, Group{Name: def.Group, Category: def.Category, Enabled: !s.noGroup[def.Group]})
		}
		groups[i].Tools = append(groups[i].Tools, def.Name)
	}
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	return groups
}

// SetGroupEnabled switches a group on or off, also one that has no tools yet. A
// tool is enabled when it was put as enabled and its group is on.
func (c *Catalog) SetGroupEnabled(group string, enabled bool) {
	_ = c.update(func(s *snapshot) error {
		s.noGroup[group] = !enabled
		for i, def := range s.sorted {
			if def.Group == group {
				s.sorted[i] = s.switched(def, enabled)
			}
		}
		return nil
	})
}

// switched makes a copy of def, which older snapshots still hold, and lets its
// names lead to the copy.
func (s *snapshot) switched(def *tool.Definition, groupOn bool) *tool.Definition {
	changed := *def
	changed.Enabled = groupOn && !s.off[def.Name]
	for _, name := range names(def) {
		s.byName[name] = &changed
	}
	return &changed
}
