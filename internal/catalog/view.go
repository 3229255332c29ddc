package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// View is the catalogue as one tenant sees it, or one conversation of it.
type View struct {
	// layers are what every tenant has and what this one has of its own, each of which
	// hides what the next has of the same name; nil at the end.
	layers   [1 + layers]*Catalog
	tenant   string
	switches Switches

	talks        bool // conversation is known
	conversation string
}

// In is v as a conversation sees it, which may be "": tools that are bound to others
// are not there. A view that is in none has those of all.
func (v View) In(conversation string) View {
	v.talks, v.conversation = true, conversation
	return v
}

func (v View) allows(rules *AgentRules, agent string, def *tool.Definition) bool {
	return v.switches.Allows(rules, v.tenant, agent, def) && (!v.talks || def.BoundTo.Hold(v.tenant, agent, v.conversation))
}

// concerns reports whether anybody of the tenant can have the tool.
func (v View) concerns(def *tool.Definition) bool {
	return def.BoundTo == nil || len(def.BoundTo.Tenants) == 0 || slices.Contains(def.BoundTo.Tenants, v.tenant)
}

// shown is def as the tenant may read it: which others have the tool is none of its
// business.
func (v View) shown(def *tool.Definition) *tool.Definition {
	if def.BoundTo == nil || len(def.BoundTo.Tenants) < 2 {
		return def
	}
	copied, bound := *def, *def.BoundTo
	bound.Tenants = []string{v.tenant}
	copied.BoundTo = &bound
	return &copied
}

// Get returns the tool with that name or alias as the tenant may read it, also one
// that is switched off; false for one that is bound to other tenants.
func (v View) Get(name string) (*tool.Definition, bool) {
	def, ok := v.Lookup(name)
	if !ok || !v.concerns(def) {
		return nil, false
	}
	return v.shown(def), true
}

// Lookup is [Catalog.Lookup] over what every tenant has and what this one has of
// its own.
func (v View) Lookup(name string) (*tool.Definition, bool) {
	for _, c := range v.layers {
		if c == nil {
			break
		}
		if def, ok := c.Lookup(name); ok {
			return def, true
		}
	}
	return nil, false
}

// hidden reports whether a layer before this one has the name.
func (v View) hidden(layer int, name string) bool {
	return slices.ContainsFunc(v.layers[:layer], func(c *Catalog) bool { _, has := c.Lookup(name); return has })
}

// Offered is [View.Lookup] of a name as a model may write it, which has underscores
// where the tool's has dots. The tool's own name comes first.
func (v View) Offered(name string) (*tool.Definition, bool) {
	if def, ok := v.Lookup(name); ok {
		return def, true
	}
	for _, c := range v.layers {
		if c == nil {
			break
		}
		if owner, ok := c.offered(name); ok {
			return v.Lookup(owner)
		}
	}
	return nil, false
}

// Allows is [Switches.Allows], and false for a tool that is bound to other
// conversations or gone by now, however long ago def was looked up.
func (v View) Allows(rules *AgentRules, agent string, def *tool.Definition) bool {
	now, ok := v.Lookup(def.Name)
	return ok && v.allows(rules, agent, now)
}

// Off reports whether nobody of the tenant has the tool.
func (v View) Off(def *tool.Definition) bool {
	return !def.Enabled || v.switches.off(v.tenant, def.Group)
}

// All returns every tool there is for the tenant, those that are switched off too,
// by name. Neither the slice nor what it points to may be changed.
func (v View) All() []*tool.Definition {
	list := v.layers[0].All()
	if v.layers[1] == nil {
		return list
	}
	list = slices.Clone(list)
	for i, c := range v.layers[1:] {
		if c == nil {
			break
		}
		for _, def := range c.All() {
			if !v.hidden(1+i, def.Name) {
				list = append(list, def)
			}
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
	slices.Sort(words)
	words = slices.Compact(words)
	list := []*tool.Definition{}
	for _, def := range v.All() {
		if v.allows(f.Rules, f.Agent, def) && f.passes(def, words) {
			list = append(list, v.shown(def))
		}
	}
	return list
}
