package services

import (
	"sync"

	"github.com/helve-dev/helve/internal/identity/vault"
)

// Index knows which accounts can be used, without decrypting them. It is safe for concurrent
// use; the zero value needs a registry.
type Index struct {
	Registry *Registry
	// Changed is called after each change of an account or a registration.
	Changed func()

	mu            sync.RWMutex
	accounts      map[group]string // the registration that each was connected with
	registrations map[group]string
}

// Change puts a changed entry in the place of the one before; a nil value removes it. It is
// meant for [natsio.Bucket.Follow].
func (x *Index) Change(key string, value []byte) {
	at, ok := placeOf(key)
	if !ok || at.Label != DefaultLabel {
		return
	}
	if x.change(at, value) && x.Changed != nil {
		x.Changed()
	}
}

func (x *Index) change(at vault.Place, value []byte) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.accounts == nil {
		x.accounts, x.registrations = map[group]string{}, map[group]string{}
	}
	table, g := x.accounts, group{at.Tenant, at.User, at.Service}
	if at.User == "" {
		table = x.registrations
	}
	id := ""
	if value != nil {
		if _, c, err := read(value); err == nil {
			id = x.idOf(at.Service, c)
		}
	}
	before := table[g]
	if id == "" {
		delete(table, g)
	} else {
		table[g] = id
	}
	return before != id
}

// idOf returns the registration that an entry belongs to; empty if it is no account that can
// be used, and no registration.
func (x *Index) idOf(service string, c public) string {
	if c.Type == typeAccount && c.Active && c.Account != nil {
		return c.Account.Registration
	}
	if reg := x.Registry.registered(service, c); reg != nil {
		return reg.ID
	}
	return ""
}

// Has reports whether a person has an account that can be used.
func (x *Index) Has(tenant, user, service string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	id := x.accounts[group{tenant, user, service}]
	return id != "" && id == x.registrations[group{tenant, "", service}]
}
