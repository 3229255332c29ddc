package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// View is the catalogue as one tenant sees it.
type View struct {
	shared, own *Catalog
	tenant      string
	switches    Switches
}

// Lookup is [Catalog.Lookup] over what every tenant has and what this one has of
// its own.
func (v View) Lookup(name string) (*tool.Definition, bool) {
	def, ok := v.shared.Lookup(name)
	if !ok && v.own != nil {
		def, ok = v.own.Lookup(name)
	}
	return def, ok
}

// Allows is [Switches.Allows], and false for a tool that is gone by now, however
// long ago def was looked up.
func (v View) Allows(rules *AgentRules, agent string, def *tool.Definition) bool {
	now, ok := v.Lookup(def.Name)
	return ok && v.switches.Allows(rules, v.tenant, agent, now)
}

// Off reports whether nobody of the tenant has the tool.
func (v View) Off(def *tool.Definition) bool {
	return !def.Enabled || v.switches.off(v.tenant, def.Group)
}

// All returns every tool there is for the tenant, those that are switched off too,
// by name. Neither the slice nor what it points to may be changed.
func (v View) All() []*tool.Definition {
	list := v.shared.All()
	if v.own == nil {
		return list
	}
	list = slices.Clone(list)
	for _, def := range v.own.All() {
		if _, hidden := v.shared.Lookup(def.Name); !hidden {
			list = append(list, def)
		}
	}
	slices.SortFunc(list, func(a, b *tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// List returns the tools that the filter's agent may use and that pass the
// filter, by name: the same catalog always gives the same order. What it points to
// may not be changed.
func (v View) List(f Filter) []*tool.Definition {
	words := strings.Fields(strings.ToLower(f.Query))
	list := []*tool.Definition{}
	for _, def := range v.All() {
		if v.switches.Allows(f.Rules, v.tenant, f.Agent, def) && f.passes(def, words) {
			list = append(list, def)
		}
	}
	return list
}
