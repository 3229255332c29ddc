package main

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/library"
	"github.com/helve-dev/helve/internal/toolbox/js/manifest"
	"github.com/helve-dev/helve/internal/toolbox/program"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/internal/tools/diagnostics"
	"github.com/helve-dev/helve/tool"
)

// checkDurable returns the problems of durable tools with the built-in tools and those of the
// directories. A name that is none of them is a warning: a server may have more.
func checkDurable(l *library.Library) (problems []manifest.Problem) {
	known := knownTools(l)
	for _, t := range l.Tools() {
		if !t.Tool.Durable {
			continue
		}
		add := func(reason string, warning bool) {
			if reason == "" {
				return
			}
			p := manifest.Problem{Dir: t.Dir, File: t.File, Tool: t.Tool.Name, Reason: reason, Warning: warning}
			if t.Entry != manifest.Whole {
				p.Entry = &t.Entry
			}
			problems = append(problems, p)
		}
		find := func(entry string) []*tool.Definition { return matching(known, entry) }
		add(t.Understated(find), false)
		add(t.Undeclared(find), true)
		uses, err := js.Survey(t.File, t.Durable, true)
		if err != nil {
			add(tool.AsError(err).Msg, false)
			continue
		}
		script := strings.TrimSuffix(t.File, ".json") + ".js"
		add(message(script, js.Check(uses, func(name string) js.Verdict {
			if def := known[name]; def != nil {
				return program.Judge(def)
			}
			return js.Verdict{Known: true, Allowed: true}
		})), false)
	}
	return problems
}

func message(script string, err *tool.Error) string {
	if err == nil {
		return ""
	}
	return script + ": " + err.Msg
}

// knownTools returns the built-in tools, and those of a library, by name and alias.
func knownTools(l *library.Library) map[string]*tool.Definition {
	known := map[string]*tool.Definition{}
	put := func(t *tool.Tool) {
		for _, name := range append([]string{t.Name}, t.Aliases...) {
			known[name] = &t.Definition
		}
	}
	for _, set := range append(tools.Builtin(), diagnostics.Set) {
		for _, t := range set.Tools() {
			put(t)
		}
	}
	for _, t := range l.Tools() {
		put(t.Tool)
	}
	return known
}

// matching returns the tools that an entry of a durable tool's list names.
func matching(known map[string]*tool.Definition, entry string) (list []*tool.Definition) {
	prefix, open := durable.Prefix(entry)
	if !open {
		if def := known[entry]; def != nil {
			list = append(list, def)
		}
		return list
	}
	for name, def := range known {
		if strings.HasPrefix(name, prefix) && !slices.Contains(list, def) {
			list = append(list, def)
		}
	}
	slices.SortFunc(list, func(a, b *tool.Definition) int { return strings.Compare(a.Name, b.Name) })
	return list
}
