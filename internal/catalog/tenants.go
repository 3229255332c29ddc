package catalog

import (
	"cmp"
	"slices"
	"sync"

	"github.com/helve-dev/helve/tool"
)

// Tenants is a catalogue that every tenant has, and beside it what each tenant
// has of its own. Its methods may be used by any number of goroutines.
type Tenants struct {
	// Shared holds the tools of every tenant. A tool of a tenant's own does not
	// hide one of them.
	Shared *Catalog

	mu     sync.RWMutex
	own    map[string]*Catalog
	failed map[string][]LoadError // by worker
}

// NewTenants returns a catalogue in which no tenant has tools of its own.
func NewTenants(shared *Catalog) *Tenants {
	return &Tenants{Shared: shared, own: map[string]*Catalog{}, failed: map[string][]LoadError{}}
}

// Put adds or replaces a tool of one tenant, as [Catalog.Put] does.
func (t *Tenants) Put(tenant string, def tool.Definition) error {
	t.mu.Lock()
	own := t.own[tenant]
	if own == nil {
		own = New()
		t.own[tenant] = own
	}
	t.mu.Unlock()
	return own.Put(def)
}

// Remove takes a tool of one tenant out. An unknown one is no error.
func (t *Tenants) Remove(tenant, name string) {
	if own := t.of(tenant); own != nil {
		own.Remove(name)
	}
}

func (t *Tenants) of(tenant string) *Catalog {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.own[tenant]
}

// Of returns what one tenant sees.
func (t *Tenants) Of(tenant string) View { return View{t.Shared, t.of(tenant)} }

// View is the catalogue as one tenant sees it.
type View struct{ shared, own *Catalog }

// Lookup is [Catalog.Lookup] over both.
func (v View) Lookup(name string) (*tool.Definition, bool) {
	def, ok := v.shared.Lookup(name)
	if !ok && v.own != nil {
		def, ok = v.own.Lookup(name)
	}
	return def, ok
}

// Allows is [Catalog.Allows] over both.
func (v View) Allows(rules *AgentRules, agent string, def *tool.Definition) bool {
	now, ok := v.Lookup(def.Name)
	return ok && allows(rules, agent, now)
}

// List is [Catalog.List] over both.
func (v View) List(f Filter) []*tool.Definition {
	list := v.shared.List(f)
	if v.own == nil {
		return list
	}
	for _, def := range v.own.List(f) {
		if _, hidden := v.shared.Lookup(def.Name); !hidden {
			list = append(list, def)
		}
	}
	slices.SortFunc(list, func(a, b *tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Groups is [Catalog.Groups] over both.
func (v View) Groups() []Group {
	groups := v.shared.Groups()
	if v.own == nil {
		return groups
	}
	for _, g := range v.own.Groups() {
		i, known := slices.BinarySearchFunc(groups, g.Name, func(g Group, name string) int { return cmp.Compare(g.Name, name) })
		if !known {
			groups = slices.Insert(groups, i, g)
			continue
		}
		groups[i].Tools = append(groups[i].Tools, g.Tools...)
		slices.Sort(groups[i].Tools)
		groups[i].Tools = slices.Compact(groups[i].Tools)
	}
	return groups
}
