package catalog

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/tool"
)

// Rated returns the definition of a durable tool with the risk, the changes, the reach and the
// scopes of the tools that it may call, as the view has them now: the greatest risk, and all of
// the rest together. A declared tool that is not there counts as the worst one. Any other
// definition is returned unchanged.
func (v View) Rated(def *tool.Definition) *tool.Definition {
	if !def.Durable || len(def.Tools) == 0 {
		return def
	}
	r := rating{view: v, def: *def, visited: map[string]bool{def.Name: true}}
	r.def.Scopes = tool.Scopes{
		Paths: slices.Clone(def.Scopes.Paths), Hosts: slices.Clone(def.Scopes.Hosts), Apps: slices.Clone(def.Scopes.Apps),
	}
	r.anyHost = def.OpenWorld && len(def.Scopes.Hosts) == 0
	r.list(def.Tools)
	if r.anyHost {
		r.def.Scopes.Hosts = []string{}
	}
	r.def.Idempotent = r.def.Idempotent && !r.def.Mutates
	return &r.def
}

// Declared returns the tools that an entry of such a list names: none if it names a tool that is
// not there.
func (v View) Declared(entry string) []*tool.Definition {
	prefix, open := durable.Prefix(entry)
	if !open {
		if def, ok := v.find(entry); ok && v.concerns(def) {
			return []*tool.Definition{def}
		}
		return nil
	}
	var list []*tool.Definition
	for _, def := range v.All() {
		if v.concerns(def) && slices.ContainsFunc(names(def), func(name string) bool { return strings.HasPrefix(name, prefix) }) {
			list = append(list, def)
		}
	}
	return list
}

// rating is the definition of a durable tool while the tools that it may call are added.
type rating struct {
	view    View
	def     tool.Definition
	anyHost bool
	// visited are the durable tools whose lists were added: they may name each other.
	visited map[string]bool
}

func (r *rating) list(tools []string) {
	for _, entry := range tools {
		found := r.view.Declared(entry)
		if len(found) == 0 {
			r.add(&tool.Definition{
				Risk: tool.High, Mutates: true, Destructive: true, OpenWorld: true, Scopes: tool.Scopes{Apps: []string{"*"}},
			})
		}
		for _, def := range found {
			r.add(def)
			if def.Durable && !r.visited[def.Name] {
				r.visited[def.Name] = true
				r.list(def.Tools)
			}
		}
	}
}

func (r *rating) add(def *tool.Definition) {
	d := &r.def
	d.Risk = Higher(d.Risk, def.Risk)
	d.Mutates = d.Mutates || def.Mutates
	d.Destructive = d.Destructive || def.Destructive
	d.OpenWorld = d.OpenWorld || def.OpenWorld
	r.anyHost = r.anyHost || def.OpenWorld && len(def.Scopes.Hosts) == 0
	union(&d.Scopes.Paths, def.Scopes.Paths)
	union(&d.Scopes.Hosts, def.Scopes.Hosts)
	union(&d.Scopes.Apps, def.Scopes.Apps)
}

func union(to *[]string, more []string) {
	for _, one := range more {
		if !slices.Contains(*to, one) {
			*to = append(*to, one)
		}
	}
}

var risks = []tool.Risk{tool.Low, tool.Medium, tool.High}

// Higher returns the higher one of two risks.
func Higher(a, b tool.Risk) tool.Risk {
	if slices.Index(risks, b) > slices.Index(risks, a) {
		return b
	}
	return a
}
