package catalog

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Filter selects tools. Its zero value selects all.
type Filter struct {
	// Agent is the calling agent and Rules its record, as [Switches.Allows] takes them.
	Agent string
	Rules *protocol.AgentRules
	// Set is the tool set that the tools are in.
	Set Toolset
	// Group and Category are exact names.
	Group, Category string
	// Query is a list of words, each of which must occur in the name, the description,
	// the category or a tag; case is ignored.
	Query string
}

// passes reports whether a tool is in the group and category, and contains every word.
func (f Filter) passes(def *tool.Definition, words []string) bool {
	return f.Set.Has(def) && (f.Group == "" || f.Group == def.Group) &&
		(f.Category == "" || f.Category == def.Category) &&
		hasAll(def, words)
}

func hasAll(def *tool.Definition, words []string) bool {
	if len(words) == 0 {
		return true
	}
	// A line break separates the parts; no word contains one.
	parts := append([]string{def.Name, def.Description, def.Category}, def.Tags...)
	text := strings.ToLower(strings.Join(parts, "\n"))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}
