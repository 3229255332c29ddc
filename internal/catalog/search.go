package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Search finds tools that the agent may use, best first.
func (v View) Search(rules *AgentRules, agent string, q tool.Search) tool.Found {
	query := strings.TrimSpace(strings.ToLower(q.Query))
	list := slices.DeleteFunc(v.List(Filter{Agent: agent, Rules: rules, Query: query}), func(def *tool.Definition) bool {
		return slices.Contains(meta, def.Name) || q.Category != "" && !strings.EqualFold(q.Category, def.Category)
	})
	words := strings.Fields(query)
	slices.SortStableFunc(list, func(a, b *tool.Definition) int { return cmp.Compare(rank(b, words), rank(a, words)) })
	return page(list, q)
}

func page(list []*tool.Definition, q tool.Search) tool.Found {
	found := tool.Found{Total: len(list)}
	list = list[min(q.Offset, len(list)):]
	found.Tools = list[:min(q.Limit, len(list))]
	return found
}

// rank is higher where more of the words are in the name, then in the tags.
func rank(def *tool.Definition, words []string) int {
	sum := 0
	for _, word := range words {
		switch {
		case strings.Contains(def.Name, word):
			sum += 100
		case slices.ContainsFunc(def.Tags, func(tag string) bool { return strings.Contains(strings.ToLower(tag), word) }):
			sum += 10
		default:
			sum++
		}
	}
	return sum
}

// Near returns names of tools that the agent may use and that are like name.
func (v View) Near(rules *AgentRules, agent, name string, n int) []string {
	found := v.Search(rules, agent, tool.Search{Query: name, Limit: n})
	near := []string{}
	for _, def := range found.Tools {
		near = append(near, def.Name)
	}
	return near
}
