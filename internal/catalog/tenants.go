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
func (t *Tenants) Of(tenant string) View {
	return View{shared: t.Shared, own: t.of(tenant), tenant: tenant, switches: t.Switches}
}
