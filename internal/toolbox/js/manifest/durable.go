package manifest

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/lib/nearest"
	"github.com/helve-dev/helve/tool"
)

// Stated are parts of the definition of a durable tool that its author stated, although they follow
// from the tools that it may call.
type Stated struct {
	Risk, Mutates, OpenWorld, Paths, Hosts, Apps bool
}

// Understates returns what the definition of a durable tool states lower than that of a tool that
// it may call; empty if it states nothing too low.
func (s Stated) Understates(def, declared *tool.Definition) string {
	switch {
	case s.Risk && rank(def.Risk) < rank(declared.Risk):
		return "risk is " + string(def.Risk) + ", and that of '" + declared.Name + "' is " + string(declared.Risk)
	case s.Mutates && !def.Mutates && declared.Mutates:
		return "mutates is false, and '" + declared.Name + "' changes something"
	case s.OpenWorld && !def.OpenWorld && declared.OpenWorld:
		return "open_world is false, and '" + declared.Name + "' reaches outward"
	case s.Hosts && len(def.Scopes.Hosts) > 0 && declared.OpenWorld && len(declared.Scopes.Hosts) == 0:
		return "scopes.hosts has a list, and '" + declared.Name + "' may reach any host"
	case s.Hosts && len(def.Scopes.Hosts) > 0 && misses(def.Scopes.Hosts, declared.Scopes.Hosts) != "":
		return "scopes.hosts lacks " + misses(def.Scopes.Hosts, declared.Scopes.Hosts) + " of '" + declared.Name + "'"
	case s.Paths && misses(def.Scopes.Paths, declared.Scopes.Paths) != "":
		return "scopes.paths lacks " + misses(def.Scopes.Paths, declared.Scopes.Paths) + " of '" + declared.Name + "'"
	case s.Apps && misses(def.Scopes.Apps, declared.Scopes.Apps) != "":
		return "scopes.apps lacks " + misses(def.Scopes.Apps, declared.Scopes.Apps) + " of '" + declared.Name + "'"
	}
	return ""
}

func rank(r tool.Risk) int { return slices.Index([]tool.Risk{tool.Low, tool.Medium, tool.High}, r) }

// misses returns the first entry of a list that another one lacks.
func misses(list, of []string) string {
	for _, one := range of {
		if !slices.Contains(list, one) && !slices.Contains(list, "*") {
			return one
		}
	}
	return ""
}

// durableSeconds is the time of a durable tool that states none, and mostDurable the most, in seconds.
const (
	durableSeconds = 60 * 60
	mostDurable    = 30 * 24 * 60 * 60
)

// durable checks what makes an entry a durable tool, and fills in the defaults of one.
func (d *draft) durable() {
	def := &d.Definition
	if !def.Durable {
		if d.given["tools"] != "" {
			d.failf(`tools lists the tools that a durable tool may call; add "durable": true, or leave it out`)
		}
		return
	}
	if def.Tools == nil {
		def.Tools = []string{}
	}
	d.problems = append(d.problems, durable.CheckTools(def.Tools)...)
	if len(d.Env) > 0 {
		d.failf("env: a durable tool sees no environment; the tools that it calls have their own")
	}
	if d.given["mutates"] == "" {
		def.Mutates = false
	}
	if d.given["timeout_seconds"] == "" {
		def.TimeoutSeconds = durableSeconds
	}
	d.Stated = Stated{
		Risk: d.given["risk"] != "", Mutates: d.given["mutates"] != "", OpenWorld: d.given["open_world"] != "",
		Paths: len(def.Scopes.Paths) > 0, Hosts: len(def.Scopes.Hosts) > 0, Apps: len(def.Scopes.Apps) > 0,
	}
}

// unknown reports a field that is none. A field that was meant to make the tool durable, or to list
// what it may call, is a problem: without it the tool would do something else.
func (d *draft) unknown(spelled string) {
	for _, name := range []string{"durable", "tools"} {
		const like = 3 // letters that differ
		if short := spelled[:min(len(spelled), 2*len(name))]; nearest.Distance(strings.ToLower(short), name, like) < min(like, len(name)-3) {
			d.failf("unknown field %q; did you mean %s?", clip(spelled), name)
			return
		}
	}
	d.warnf("unknown field %q; %s", clip(spelled), meant(spelled, spellings))
}
