package catalog

import (
	"sync"

	"github.com/helve-dev/helve/tool"
)

// Tenants is a catalogue that every tenant has, and beside it what each tenant
// has of its own. Its methods may be used by any number of goroutines.
type Tenants struct {
	// Shared holds the tools of every tenant. A tool of a tenant's own does not
	// hide one of them.
	Shared *Catalog
	// Switches are the operator's; set them before anybody asks.
	Switches Switches

	mu     sync.RWMutex
	own    [layers]map[string]*Catalog
	failed map[string][]LoadError // by worker
}

// Layer says where a tenant's own tools come from. One of an earlier layer hides
// those of its name in the later ones, and all are hidden by a tool of every tenant.
type Layer int

// The layers: tools that models wrote, and tools that run in processes outside.
const (
	Custom Layer = iota
	Remote

	layers = iota
)

// NewTenants returns a catalogue in which no tenant has tools of its own.
func NewTenants(shared *Catalog) *Tenants {
	t := &Tenants{Shared: shared, failed: map[string][]LoadError{}}
	for layer := range t.own {
		t.own[layer] = map[string]*Catalog{}
	}
	return t
}

// Put adds or replaces a tool of one tenant, as [Catalog.Put] does.
func (t *Tenants) Put(layer Layer, tenant string, def tool.Definition) error {
	t.mu.Lock()
	own := t.own[layer][tenant]
	if own == nil {
		own = New()
		t.own[layer][tenant] = own
	}
	t.mu.Unlock()
	return own.Put(def)
}

// Remove takes a tool of one tenant out. An unknown one is no error.
func (t *Tenants) Remove(layer Layer, tenant, name string) {
	t.mu.RLock()
	own := t.own[layer][tenant]
	t.mu.RUnlock()
	if own != nil {
		own.Remove(name)
	}
}

// Taken reports whether a name is that of a tool which every tenant has, or which the
// tenant has in a layer before this one, or one that model providers could not tell
// from it.
func (t *Tenants) Taken(before Layer, tenant, name string) bool {
	if t.Shared.Taken(name) {
		return true
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, own := range t.own[:before] {
		if c := own[tenant]; c != nil && c.Taken(name) {
			return true
		}
	}
	return false
}

// Of returns what one tenant sees.
func (t *Tenants) Of(tenant string) View {
	v := View{tenant: tenant, switches: t.Switches}
	v.layers[0] = t.Shared
	t.mu.RLock()
	defer t.mu.RUnlock()
	n := 1
	for _, own := range t.own {
		if c := own[tenant]; c != nil {
			v.layers[n] = c
			n++
		}
	}
	return v
}
