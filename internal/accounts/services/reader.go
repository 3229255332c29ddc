package services

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"
	"golang.org/x/sync/singleflight"

	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/tool"
)

// Source gives a person the entries of a service: those of the person, then those of the
// tenant; without a person only the latter.
type Source interface {
	For(tenant, user string) tool.Secrets
}

// Reader follows the stored entries and serves them to tools. It is safe for concurrent
// use.
type Reader struct {
	// Keys decrypts the entries; nil if this process has no master key.
	Keys     vault.Wrapper
	Registry *Registry
	// Below has the entries that stored ones are preferred to; nil if there are none.
	Below Source
	// Accounts returns accounts whose tokens this process cannot or must not use as they
	// are; nil if there is no way to dispatchers, which replace tokens.
	Accounts Accounts
	Log      *zap.Logger

	mu      sync.RWMutex
	entries map[group][]*stored
	changed chan struct{} // closed at the next change, nil if nobody waits for one
	asking  singleflight.Group
}

// group identifies the owner and service of entries.
type group struct{ tenant, user, service string }

// stored is one version of an entry. Its decrypted form is kept once it was used.
type stored struct {
	at    vault.Place
	value []byte
	// clear is the part that is not encrypted, which nothing has proved yet.
	clear  public
	opened atomic.Pointer[tool.ServiceEntry]
	warned atomic.Bool
}

// Change puts a changed entry in the place of the one before; a nil value removes it. It
// is meant for [natsio.Bucket.Follow].
func (r *Reader) Change(key string, value []byte) {
	at, ok := placeOf(key)
	if !ok {
		return
	}
	g := group{at.Tenant, at.User, at.Service}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed != nil {
		defer close(r.changed)
		r.changed = nil
	}
	if r.entries == nil {
		r.entries = map[group][]*stored{}
	}
	list := slices.DeleteFunc(slices.Clone(r.entries[g]), func(e *stored) bool { return e.at == at })
	if value != nil {
		e := &stored{at: at, value: slices.Clone(value)}
		_, e.clear, _ = read(value) // an entry that cannot be read is an error for the call that needs it
		list = append(list, e)
	}
	if len(list) == 0 {
		delete(r.entries, g)
		return
	}
	slices.SortFunc(list, func(a, b *stored) int { return cmp.Compare(a.at.Label, b.at.Label) })
	r.entries[g] = list // readers keep the list that they have
}

// For returns the entries that a user of a tenant may see; without a user, those of the
// tenant.
func (r *Reader) For(tenant, user string) tool.Secrets { return view{r, tenant, user} }

// String returns a text without values.
func (r *Reader) String() string { return "stored services" }

// GoString returns String, for %#v.
func (r *Reader) GoString() string { return r.String() }

// view is the entries as one user sees them.
type view struct {
	reader       *Reader
	tenant, user string
}

// String returns a text without values.
func (v view) String() string { return v.reader.String() + " of " + v.tenant + "/" + v.user }

// GoString returns String, for %#v.
func (v view) GoString() string { return v.String() }

// Entries implements [tool.Secrets]. The caller may change the entries.
func (v view) Entries(ctx context.Context, service string) ([]tool.ServiceEntry, error) {
	if reg := v.reader.registration(v.tenant, service); reg != nil {
		return v.account(ctx, reg)
	}
	return v.entries(ctx, service)
}

// entries returns the entries of a service without accounts of people.
func (v view) entries(ctx context.Context, service string) ([]tool.ServiceEntry, error) {
	var below, belowTenant []tool.ServiceEntry
	if v.reader.Below != nil {
		var err error
		if below, err = v.reader.Below.For(v.tenant, v.user).Entries(ctx, service); err != nil {
			return nil, err
		}
		belowTenant = below
		if v.user != "" {
			shared, err := v.reader.Below.For(v.tenant, "").Entries(ctx, service)
			if err != nil {
				return nil, err
			}
			own := max(0, len(below)-len(shared))
			below, belowTenant = below[:own:own], below[own:]
		} else {
			below = nil
		}
	}
	schema, known := v.reader.Registry.Lookup(service)
	var entries []tool.ServiceEntry
	if v.user != "" && !(known && schema.Shared) {
		own, err := v.reader.read(ctx, group{v.tenant, v.user, service}, schema)
		if err != nil {
			return nil, err
		}
		entries = merged(own, below)
	} else {
		entries = below // the operator's file may bind such a service to a person
	}
	shared, err := v.reader.read(ctx, group{v.tenant, "", service}, schema)
	if err != nil {
		return nil, err
	}
	return append(entries, merged(shared, belowTenant)...), nil
}

// merged returns the entries of one owner: above hides those of below with the same label,
// and default entries come first.
func merged(above, below []tool.ServiceEntry) []tool.ServiceEntry {
	all := slices.Clip(above)
	for _, e := range below {
		if !slices.ContainsFunc(above, func(o tool.ServiceEntry) bool { return o.Label == e.Label }) {
			all = append(all, e)
		}
	}
	if len(above) > 0 {
		slices.SortStableFunc(all, func(a, b tool.ServiceEntry) int { return rank(a) - rank(b) })
	}
	return all
}

func rank(e tool.ServiceEntry) int {
	if e.Default {
		return 0
	}
	return 1
}

func (r *Reader) read(ctx context.Context, g group, schema tool.Service) ([]tool.ServiceEntry, error) {
	r.mu.RLock()
	list := r.entries[g]
	r.mu.RUnlock()
	if len(list) == 0 {
		return nil, nil
	}
	entries := make([]tool.ServiceEntry, 0, len(list))
	for _, s := range list {
		if s.clear.Type == typeAccount || s.clear.Type == typeOAuth2 {
			continue // of a registration that is gone or not active
		}
		e := s.opened.Load()
		if e == nil {
			var err error
			if e, err = r.open(ctx, s); err != nil {
				return nil, err
			}
		}
		given := *e
		given.Data = maps.Clone(e.Data)
		for _, f := range schema.Fields {
			if _, there := given.Data[f.Name]; !there && f.Default != "" {
				given.Data[f.Name] = f.Default
			}
		}
		entries = append(entries, given)
	}
	return entries, nil
}

// open decrypts an entry and keeps it. A failure is logged once for each version.
func (r *Reader) open(ctx context.Context, s *stored) (*tool.ServiceEntry, error) {
	var keys vault.Wrapper = vault.None{}
	if r.Keys != nil {
		keys = r.Keys
	}
	d, c, err := read(s.value)
	var secrets map[string]string
	if err == nil {
		c, secrets, err = d.open(ctx, keys, s.at)
	}
	if err != nil {
		if s.warned.CompareAndSwap(false, true) && r.Log != nil {
			r.Log.Error("service entry not decrypted", zap.String("tenant", s.at.Tenant), zap.String("user", s.at.User),
				zap.String("service", s.at.Service), zap.String("label", s.at.Label), zap.String("key_id", d.Sealed.Key.KeyID), zap.Error(err))
		}
		return nil, unsealed(s.at, err)
	}
	e := &tool.ServiceEntry{
		Label:   s.at.Label,
		Default: s.at.Label == DefaultLabel,
		Active:  c.Active,
		Shared:  s.at.User == "",
		Data:    map[string]string{},
	}
	maps.Copy(e.Data, c.Values)
	maps.Copy(e.Data, secrets)
	s.opened.Store(e)
	return e, nil
}
