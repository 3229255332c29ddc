package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// maxQuery is how many bytes of a query are looked at: what is unknown is compared
// with every word there is.
const maxQuery = 2000

func cut(text string, most int) string { return text[:min(len(text), most)] }

// Search finds tools that the agent may use, best first: those that hold every word
// of the query in name, tags, category or description, in whatever case and whatever
// stands between the words. Where none does, it finds the nearest to what was asked in
// plain words. The tools by which others are found are left out.
func (v View) Search(rules *AgentRules, agent string, q tool.Search) tool.Found {
	query := strings.ToLower(cut(q.Query, maxQuery))
	pass := func(s scored) bool {
		return v.allows(rules, agent, s.def) && !slices.Contains(meta, s.def.Name) &&
			(q.Category == "" || strings.EqualFold(q.Category, s.def.Category))
	}
	split := words(query)
	if len(split) == 0 && strings.TrimSpace(query) != "" {
		return tool.Found{} // nothing in it can be looked for
	}
	list := v.gather(pass, func(x *index) []scored { return x.strict(query, split) })
	near := false
	if len(list) == 0 {
		list = v.gather(pass, func(x *index) []scored { return x.near(query) })
		list = worth(list)
		near = len(list) > 0
	}
	found := tool.Found{Total: len(list), Near: near}
	list = list[min(max(q.Offset, 0), len(list)):]
	for _, s := range list[:min(max(q.Limit, 0), len(list))] {
		found.Tools = append(found.Tools, s.def)
	}
	return found
}

// gather asks the index of what every tenant has, and that of what this one has of
// its own, and sorts what passes: by score, then by name.
func (v View) gather(pass func(scored) bool, ask func(*index) []scored) []scored {
	var list []scored
	for i, c := range v.layers {
		if c == nil {
			break
		}
		for _, s := range ask(c.index()) {
			if !v.hidden(i, s.def.Name) {
				list = append(list, s)
			}
		}
	}
	list = slices.DeleteFunc(list, func(s scored) bool { return !pass(s) })
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.def.Name, b.def.Name))
	})
	return list
}

// worth leaves out what is far behind the best: a page of chance matches helps
// nobody.
func worth(list []scored) []scored {
	const behind = 0.2
	for i := range list {
		if list[i].score < behind*list[0].score {
			return list[:i]
		}
	}
	return list
}

// Near returns at most n names of tools that the agent may use and that are like
// name: by spelling first, then by what the words in it mean. It returns none rather
// than names that have nothing to do with it.
func (v View) Near(rules *AgentRules, agent, name string, n int) []string {
	pass := func(s scored) bool { return v.allows(rules, agent, s.def) }
	name = cut(name, tool.MaxNameLength)
	list := v.gather(pass, func(x *index) []scored { return x.alike(name) })
	near := []string{}
	for _, s := range list {
		if len(near) < n && !slices.Contains(near, s.def.Name) {
			near = append(near, s.def.Name)
		}
	}
	return near
}
