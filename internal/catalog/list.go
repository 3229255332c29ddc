package catalog

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Filter narrows a listing. Its zero value narrows nothing.
type Filter struct {
	// Agent is who asks and Rules its record, as [Switches.Allows] takes them.
	Agent string
	Rules *AgentRules
	// Group and Category are exact names.
	Group, Category string
	// Query is words, each of which must occur in the name, the description,
	// the category or a tag, in whatever case.
	Query string
}

// passes reports whether a tool is in the group and category, and has every word.
func (f Filter) passes(def *tool.Definition, words []string) bool {
	return (f.Group == "" || f.Group == def.Group) &&
		(f.Category == "" || f.Category == def.Category) &&
		hasAll(def, words)
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
