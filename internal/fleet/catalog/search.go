package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// maxQuery bounds the query in bytes: each unknown word is compared with every word of
// the index.
const maxQuery = 2000

// Search returns the tools that the agent may use and that match the query, best first:
// those with every word of the query in name, tags, category or description, ignoring
// case and separators. If there is none, it returns the nearest to the request in plain
// words, and nothing if most of its words are unknown. Of a sentence, little words are not
// looked for, and the nearest come with those that have all others. The tools that find
// others are left out.
func (v View) Search(rules *protocol.AgentRules, agent string, q tool.Search) tool.Found {
	query := strings.ToLower(textcut.Head(q.Query, maxQuery))
	pass := func(s scored) bool {
		return v.allows(rules, agent, s.def) && !slices.Contains(meta, s.def.Name) &&
			(q.Category == "" || strings.EqualFold(q.Category, s.def.Category))
	}
	split := words(query)
	if len(split) == 0 && strings.TrimSpace(query) != "" {
		return tool.Found{} // nothing to search for
	}
	telling := slices.DeleteFunc(slices.Clone(split), func(word string) bool { return empty[word] })
	if len(telling) == 0 {
		telling = split
	}
	list := v.gather(pass, func(x *index) []scored { return x.strict(query, telling) })
	near := len(list) == 0
	if sentence := len(telling) < len(split) && strings.ContainsRune(query, ' '); near || sentence {
		list = joined(list, worth(v.gather(pass, func(x *index) []scored {
			if !x.understands(query) {
				return nil
			}
			return x.near(query)
		})))
		near = near && len(list) > 0
	}
	found := tool.Found{Total: len(list), Near: near}
	from := min(max(q.Offset, 0), len(list))
	list = first(list, from+min(max(q.Limit, 0), len(list)-from))[from:]
	for _, s := range list {
		found.Tools = append(found.Tools, v.Rated(s.def))
	}
	return found
}

// gather queries the index of the shared tools and those of the tenant's own tools. The
// results are not sorted.
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
	return slices.DeleteFunc(list, func(s scored) bool { return !pass(s) })
}

// joined returns the nearest tools to a sentence, those that contain each of its words
// before others that are as near, and after them the rest of the latter.
func joined(strict, near []scored) []scored {
	if len(strict) == 0 {
		return near
	}
	const all = 1.5
	has := make(map[*tool.Definition]bool, len(strict))
	for _, s := range strict {
		has[s.def] = true
	}
	for i := range near {
		if has[near[i].def] {
			near[i].score *= all
			delete(has, near[i].def)
		}
	}
	for _, s := range strict {
		if has[s.def] {
			near = append(near, scored{s.def, s.score / 1e6})
		}
	}
	return near
}

// worth drops results far behind the best: a page of chance matches is useless.
func worth(list []scored) []scored {
	const behind = 0.2
	best := 0.0
	for _, s := range list {
		best = max(best, s.score)
	}
	return slices.DeleteFunc(list, func(s scored) bool { return s.score < behind*best })
}

// before orders results: by score, then by name.
func before(a, b scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.def.Name, b.def.Name))
}

// first returns the first n results in order. Of thousands of results a page is read, so
// only that many are sorted.
func first(list []scored, n int) []scored {
	const few = 100
	if n > few || n >= len(list) {
		slices.SortFunc(list, before)
		return list[:n]
	}
	top := make([]scored, 0, n+1)
	for _, s := range list {
		if len(top) == n && (n == 0 || before(s, top[n-1]) > 0) {
			continue
		}
		i, _ := slices.BinarySearchFunc(top, s, before)
		if top = slices.Insert(top, i, s); len(top) > n {
			top = top[:n]
		}
	}
	return top
}

// Near returns at most n names of tools that the agent may use and that are similar to
// name: by spelling first, then by the meaning of its words. It returns none rather
// than unrelated names.
func (v View) Near(rules *protocol.AgentRules, agent, name string, n int) []string {
	pass := func(s scored) bool { return v.allows(rules, agent, s.def) }
	name = textcut.Head(name, tool.MaxNameLength)
	list := v.gather(pass, func(x *index) []scored { return x.similar(name) })
	list = first(list, min(2*max(n, 0), len(list))) // a tool may be there twice
	near := []string{}
	for _, s := range list {
		if len(near) < n && !slices.Contains(near, s.def.Name) {
			near = append(near, s.def.Name)
		}
	}
	return near
}
