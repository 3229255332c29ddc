package library

import (
	"cmp"
	"maps"
	"slices"

	"github.com/helve-dev/helve/internal/toolbox/js/manifest"
)

// merge builds one list of the tools of all folders, with unique names, and one list of
// the problems.
func merge(opts *Options, folders []*folder) *state {
	s := &state{}
	at := map[string]int{} // name -> its index in s.tools
	for _, f := range folders {
		problems := slices.Clone(f.problems)
		for _, base := range slices.Sorted(maps.Keys(f.pairs)) {
			p := f.pairs[base]
			problems = append(problems, p.problems...)
			for _, t := range p.tools {
				if conflict := s.add(opts, at, t); conflict != "" {
					problems = append(problems, t.problem(conflict))
				}
			}
		}
		slices.SortStableFunc(problems, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(entryOf(a), entryOf(b)))
		})
		s.problems = append(s.problems, problems...)
	}
	return s
}

// add adds a tool to the list, or returns the reason why the name is taken.
func (s *state) add(opts *Options, at map[string]int, t Loaded) (conflict string) {
	name := t.Tool.Name
	i, known := at[name]
	builtin := opts.Taken(name) || known && s.tools[i].Dir == ""
	switch {
	case builtin && (t.Dir == "" || !opts.AllowOverride):
		return "the name " + name + " is taken by a built-in tool; use another, or set tools_override"
	case known && s.tools[i].Dir == t.Dir:
		return "the name " + name + " is taken by " + s.tools[i].File
	case known && s.tools[i].Dir != "":
		return "the name " + name + " is taken by " + s.tools[i].File + " of another tools directory"
	}
	t.Overrides = builtin
	if known {
		s.tools[i] = t
		return ""
	}
	at[name] = len(s.tools)
	s.tools = append(s.tools, t)
	return ""
}

func (t Loaded) problem(reason string) Problem {
	p := Problem{Dir: t.Dir, File: t.File, Tool: t.Tool.Name, Reason: reason}
	if t.Entry != manifest.Whole {
		p.Entry = &t.Entry
	}
	return p
}

func entryOf(p Problem) int {
	if p.Entry == nil {
		return -1
	}
	return *p.Entry
}
