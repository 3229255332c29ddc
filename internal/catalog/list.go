package catalog

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Filter narrows a listing. Its zero value narrows nothing.
type Filter struct {
	// Agent is who asks and Rules its record, as [Catalog.Allows] takes them.
	Agent string
	Rules *AgentRules
	// Group and Category are exact names.
	Group, Category string
	// Query is words, each of which must occur in the name, the description,
	// the category or a tag, in whatever case.
	Query string
}

// List returns the tools that the filter's agent may use and that pass the
// filter, by name: the same catalog always gives the same order. Neither the
// slice nor what it points to may be changed.
func (c *Catalog) List(f Filter) []*tool.Definition {
	words := strings.Fields(strings.ToLower(f.Query))
	list := []*tool.Definition{}
	for _, def := range c.All() {
		if allows(f.Rules, f.Agent, def) &&
			(f.Group == "" || f.Group == def.Group) &&
			(f.Category == "" || f.Category == def.Category) &&
			hasAll(def, words) {
			list = append(list, def)
		}
	}
	return list
}

func hasAll(def *tool.Definition, words []string) bool {
	if len(words) == 0 {
		return true
	}
	// A line break separates the parts, and no word contains one.
	parts := append([]string{def.Name, def.Description, def.Category}, def.Tags...)
	text := strings.ToLower(strings.Join(parts, "\n"))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}
