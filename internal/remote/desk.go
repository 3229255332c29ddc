package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/catalog"
)

// Bounds of one tenant.
const (
	maxInstances = 500
	maxKnown     = 1000
)

// Desk takes registrations. Any dispatcher may take any of them.
type Desk struct {
	*Book

	permissions []string
}

// NewDesk returns a desk over a book. Permissions are those that the operator made up.
func NewDesk(b *Book, permissions []string) *Desk { return &Desk{b, permissions} }

// races is how often it is tried again when somebody else was faster.
const races = 5

// Register takes an instance in, or hears that it is still there, and returns the
// names of its tools. It does all of it or, where the error is an [*Error], nothing; an
// instance that changed its tools and lost a race for a name has to register again.
func (d *Desk) Register(ctx context.Context, tenant string, r Registration) ([]string, error) {
	defs, err := r.check(d.permissions)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(defs))
	for i, def := range defs {
		if d.cat.Taken(catalog.Remote, tenant, def.Name) {
			return nil, refuse(Conflict, "the name %s belongs to a tool that does not run in a process of yours, or to model providers it looks like one; choose another", def.Name)
		}
		names[i] = def.Name
	}
	repeats, err := d.repeats(ctx, tenant, r.Instance, defs)
	if err != nil {
		return nil, err
	}
	if repeats {
		return names, d.beat(ctx, tenant, r, defs)
	}
	if err := d.enter(ctx, tenant, r, defs); err != nil {
		return nil, err
	}
	d.log.Info("a process registered tools", zap.String("tenant", tenant), zap.String("instance", r.Instance), zap.Strings("tools", names))
	return names, nil
}

// enter takes in an instance that is new, or has changed. Two that want one name by
// different definitions may come to two dispatchers at once: so each first says what it
// claims and then looks whether it is alone. Whoever looks last sees the other, so
// never both are let in; at worst neither is, and the next heartbeat decides.
func (d *Desk) enter(ctx context.Context, tenant string, r Registration, defs []definition) error {
	if err := d.store(ctx, tenant, r.Instance, defs); err != nil {
		return err
	}
	if err := d.beat(ctx, tenant, r, defs); err != nil {
		return err
	}
	t, err := d.load(ctx, tenant)
	if err == nil {
		err = t.contested(r.Instance, defs)
	}
	if err != nil {
		// Whoever asked may have left; what it claimed must not keep others out.
		return errors.Join(err, d.bucket.Forget(context.WithoutCancel(ctx), keyOf(tenant, kindInstance, r.Instance)))
	}
	d.until(ctx, func() bool { return d.agrees(tenant, r.Instance, defs) })
	return nil
}

// repeats says that a registration only repeats what is stored: its claim stands, so
// nobody else was let in.
func (d *Desk) repeats(ctx context.Context, tenant, id string, defs []definition) (bool, error) {
	d.mu.Lock()
	agrees := d.agrees(tenant, id, defs)
	d.mu.Unlock()
	if !agrees {
		return false, nil
	}
	value, err := d.bucket.Get(ctx, keyOf(tenant, kindInstance, id))
	var claim instance
	if err != nil || json.Unmarshal(value, &claim) != nil {
		return false, err
	}
	return claims(&claim, defs), nil
}

// claims says that an instance runs exactly these.
func claims(i *instance, defs []definition) bool {
	for _, def := range defs {
		if i.Tools[def.Name] != def.Hash {
			return false
		}
	}
	return len(i.Tools) == len(defs)
}

// agrees says that an instance is known by these definitions. The lock is held.
func (d *Desk) agrees(of, id string, defs []definition) bool {
	t := d.tenants[of]
	if t == nil || t.instances[id] == nil || !claims(t.instances[id], defs) {
		return false
	}
	return !slices.ContainsFunc(defs, func(def definition) bool { return t.tools[def.Name].Hash != def.Hash })
}

// beat stores that an instance is there, and what it claims.
func (d *Desk) beat(ctx context.Context, tenant string, r Registration, defs []definition) error {
	i := instance{TTLMS: r.TTL.Milliseconds(), Tools: make(map[string]string, len(defs)), Beat: rand.Text()}
	for _, def := range defs {
		i.Tools[def.Name] = def.Hash
	}
	value, err := json.Marshal(i)
	if err != nil {
		return err
	}
	// The store counts in seconds.
	return d.bucket.PutFor(ctx, keyOf(tenant, kindInstance, r.Instance), value, (r.TTL + time.Second - 1).Truncate(time.Second))
}

// Unregister takes an instance out. It reports whether it was there.
func (d *Desk) Unregister(ctx context.Context, tenant, id string) (bool, error) {
	if err := checkInstance(id); err != nil {
		return false, err
	}
	key := keyOf(tenant, kindInstance, id)
	value, err := d.bucket.Get(ctx, key)
	if value == nil || err != nil {
		return false, err
	}
	if err := d.bucket.Forget(ctx, key); err != nil {
		return false, err
	}
	d.until(ctx, func() bool { t := d.tenants[tenant]; return t == nil || t.instances[id] == nil })
	return true, nil
}
