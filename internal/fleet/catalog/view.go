package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// View is the catalogue for one person of a tenant, or for one conversation.
type View struct {
	// layers are the shared tools and the tenant's own, each of which hides tools of
	// the same name in the next; nil at the end.
	layers   [2 + layers]*Catalog
	tenant   string
	switches Switches

	talks        bool // conversation is known
	conversation string
}

// In returns v for a conversation, which may be "": tools bound to other conversations
// are left out. A view without a conversation has the tools of all.
func (v View) In(conversation string) View {
	v.talks, v.conversation = true, conversation
	return v
}

func (v View) allows(rules *protocol.AgentRules, agent string, def *tool.Definition) bool {
	return v.switches.Allows(rules, v.tenant, agent, def) && (!v.talks || def.BoundTo.Hold(v.tenant, agent, v.conversation))
}

// concerns reports whether the tenant can have the tool at all.
func (v View) concerns(def *tool.Definition) bool {
	return def.BoundTo == nil || len(def.BoundTo.Tenants) == 0 || slices.Contains(def.BoundTo.Tenants, v.tenant)
}

// shown returns def as the tenant may see it: without the names of other tenants that
// have the tool.
func (v View) shown(def *tool.Definition) *tool.Definition {
	if def.BoundTo == nil || len(def.BoundTo.Tenants) < 2 {
		return def
	}
	copied, bound := *def, *def.BoundTo
	bound.Tenants = []string{v.tenant}
	copied.BoundTo = &bound
	return &copied
}

// Get returns the tool with that name or alias as the tenant may see it, even if it is
// switched off; false if it is bound to other tenants.
func (v View) Get(name string) (*tool.Definition, bool) {
	def, ok := v.Lookup(name)
	if !ok || !v.concerns(def) {
		return nil, false
	}
	return v.shown(def), true
}

// Lookup is [Catalog.Lookup] over the shared tools and the tenant's own. A durable tool is
// [View.Rated].
func (v View) Lookup(name string) (*tool.Definition, bool) {
	def, ok := v.find(name)
	if !ok {
		return nil, false
	}
	return v.Rated(def), true
}

func (v View) find(name string) (*tool.Definition, bool) {
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

// hidden reports whether an earlier layer has the name.
func (v View) hidden(layer int, name string) bool {
	return slices.ContainsFunc(v.layers[:layer], func(c *Catalog) bool { _, has := c.Lookup(name); return has })
}

// Offered is [View.Lookup] for a name written by a model, which has underscores where
// the tool's name has dots. An exact name takes precedence.
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

// Allows is [Switches.Allows], but false for a tool that is bound to other
// conversations or has been removed since def was looked up.
func (v View) Allows(rules *protocol.AgentRules, agent string, def *tool.Definition) bool {
	now, ok := v.Lookup(def.Name)
	return ok && v.allows(rules, agent, now)
}

// Off reports whether the tool is unavailable in the tenant.
func (v View) Off(def *tool.Definition) bool {
	return !def.Enabled || v.switches.off(v.tenant, def.Group)
}

// All returns every tool of the tenant, those switched off included, sorted by name.
// Neither the slice nor its contents may be changed. Durable tools are as their authors state them.
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

// List returns the tools that the filter's agent may use and that match the filter,
// sorted by name: the order is stable. Its contents must not be changed.
func (v View) List(f Filter) []*tool.Definition {
	words := strings.Fields(strings.ToLower(f.Query))
	slices.Sort(words)
	words = slices.Compact(words)
	list := []*tool.Definition{}
	for _, def := range v.All() {
		if def = v.Rated(def); v.allows(f.Rules, f.Agent, def) && f.passes(def, words) {
			list = append(list, v.shown(def))
		}
	}
	return list
}
