package catalog

import (
	"sync"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Tenants is the shared catalogue, with the tools of each tenant and of each person.
// Its methods are safe for concurrent use.
type Tenants struct {
	// Shared has the tools of every tenant. A tenant's own tool cannot hide one of
	// them.
	Shared *Catalog
	// Switches are the operator's; set them before the first use.
	Switches Switches

	mu     sync.RWMutex
	own    [layers]map[string]*Catalog
	people map[person]*Catalog
	failed map[string][]protocol.LoadError // by worker
}

// person is one user of a tenant.
type person struct{ tenant, user string }

// Layer is the origin of a tenant's own tools. A tool of an earlier layer hides a tool
// of the same name in later layers, and shared tools hide all of them.
type Layer int

// The layers: shared tools that models wrote, and tools that run in remote processes.
const (
	Custom Layer = iota
	Remote

	layers = iota
)

// NewTenants returns a catalogue in which no tenant has tools of its own.
func NewTenants(shared *Catalog) *Tenants {
	t := &Tenants{Shared: shared, failed: map[string][]protocol.LoadError{}, people: map[person]*Catalog{}}
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

// Remove removes a tool of one tenant. An unknown tool is not an error.
func (t *Tenants) Remove(layer Layer, tenant, name string) {
	t.mu.RLock()
	own := t.own[layer][tenant]
	t.mu.RUnlock()
	if own != nil {
		own.Remove(name)
	}
}

// PutOwn adds or replaces a tool that only one person sees. It hides a tool of that
// name that the tenant shares.
func (t *Tenants) PutOwn(tenant, user string, def tool.Definition) error {
	who := person{tenant, user}
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.people[who]
	if own == nil {
		own = New()
		t.people[who] = own
	}
	return own.Put(def)
}

// RemoveOwn removes a person's tool. An unknown tool is not an error.
func (t *Tenants) RemoveOwn(tenant, user, name string) {
	who := person{tenant, user}
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.people[who]
	if own == nil {
		return
	}
	if own.Remove(name); len(own.All()) == 0 {
		delete(t.people, who)
	}
}

// Taken reports whether a shared tool, or a tool of the tenant in an earlier layer, has
// the name, or a name that model providers could not distinguish from it.
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

// Of returns the tools that one person of a tenant sees; "" is a call without a person,
// which sees no person's own tools.
func (t *Tenants) Of(tenant, user string) View {
	v := View{tenant: tenant, switches: t.Switches}
	v.layers[0] = t.Shared
	t.mu.RLock()
	defer t.mu.RUnlock()
	n := 1
	if c := t.people[person{tenant, user}]; c != nil && user != "" {
		v.layers[n] = c
		n++
	}
	for _, own := range t.own {
		if c := own[tenant]; c != nil {
			v.layers[n] = c
			n++
		}
	}
	return v
}
