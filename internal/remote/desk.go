package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
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
// names of its tools. It does all of it or, where the error is an [*Error], nothing.
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
	beats := d.agrees(tenant, r.Instance, defs)
	if !beats {
		if err := d.store(ctx, tenant, r.Instance, defs); err != nil {
			return nil, err
		}
	}
	return names, d.beat(ctx, tenant, r, defs, !beats)
}

// agrees says that an instance only repeats what is known of it.
func (d *Desk) agrees(of, id string, defs []definition) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tenants[of]
	if t == nil || t.instances[id] == nil || len(t.instances[id].Tools) != len(defs) {
		return false
	}
	for _, def := range defs {
		if t.tools[def.Name].Hash != def.Hash || t.instances[id].Tools[def.Name] != def.Hash {
			return false
		}
	}
	return true
}

// beat stores that an instance is there. The first time it waits until this process
// knows it too.
func (d *Desk) beat(ctx context.Context, tenant string, r Registration, defs []definition, first bool) error {
	i := instance{TTLMS: r.TTL.Milliseconds(), Tools: make(map[string]string, len(defs)), Beat: rand.Text()}
	for _, def := range defs {
		i.Tools[def.Name] = def.Hash
	}
	value, err := json.Marshal(i)
	if err != nil {
		return err
	}
	key := keyOf(tenant, kindInstance, r.Instance)
	told := d.expect(key, i.Beat)
	if !first {
		told = nil
	}
	// The store counts in seconds.
	if err := d.bucket.PutFor(ctx, key, value, (r.TTL + time.Second - 1).Truncate(time.Second)); err != nil {
		return err
	}
	if first {
		d.log.Info("a process registered tools", zap.String("tenant", tenant), zap.String("instance", r.Instance), zap.Int("tools", len(defs)))
		d.wait(ctx, key, i.Beat, told)
	}
	return nil
}

// store writes the definitions that are new, or whose names nobody else holds.
func (d *Desk) store(ctx context.Context, tenant, id string, defs []definition) error {
	for try := 1; ; try++ {
		t, err := d.load(ctx, tenant)
		if err != nil {
			return err
		}
		if t.instances[id] == nil && len(t.instances) >= maxInstances {
			return refuse(Conflict, "the tenant has %d instances, which is all it may have; unregister some", len(t.instances))
		}
		delete(t.instances, id) // what it ran before is its own to replace
		if err := t.admit(defs); err != nil {
			return err
		}
		err = d.replace(ctx, tenant, t, defs)
		if err == nil || !errors.Is(err, bus.ErrExists) || try == races {
			return err
		}
	}
}

// admit refuses a definition of a tool that others run by another one.
func (t *tenant) admit(defs []definition) error {
	for _, def := range defs {
		for name, k := range t.tools {
			same := name == def.Name && k.Hash == def.Hash
			if same || offered(name) != offered(def.Name) {
				continue
			}
			if holders := t.holders(name); len(holders) > 0 {
				return refuse(Conflict, "the name %s is taken: the instance %s runs %s by another definition; register the same one, stop that instance, or choose another name", def.Name, holders[0], name)
			}
		}
	}
	return nil
}

func (d *Desk) replace(ctx context.Context, of string, t *tenant, defs []definition) error {
	if err := d.makeRoom(ctx, of, t, defs); err != nil {
		return err
	}
	for _, def := range defs {
		old, ok := t.tools[def.Name]
		if ok && old.Hash == def.Hash {
			continue
		}
		value, err := json.Marshal(known{def.Definition, def.Hash})
		if err != nil {
			return err
		}
		key := keyOf(of, kindTool, def.Name)
		if !ok {
			if err := d.bucket.Create(ctx, key, value); err != nil {
				return err
			}
			continue
		}
		before, err := d.bucket.Get(ctx, key)
		if err != nil {
			return err
		}
		var is known
		if json.Unmarshal(before, &is) != nil || is.Hash != old.Hash {
			return bus.ErrExists // somebody was faster; look again
		}
		if err := d.bucket.Replace(ctx, key, before, value); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom forgets tools that nobody runs: those whose names cannot be told from new
// ones, and all of them where there are too many.
func (d *Desk) makeRoom(ctx context.Context, of string, t *tenant, defs []definition) error {
	wanted, more := map[string]string{}, 0
	for _, def := range defs {
		wanted[offered(def.Name)] = def.Name
		if _, ok := t.tools[def.Name]; !ok {
			more++
		}
	}
	full := len(t.tools)+more > maxKnown
	for name := range t.tools {
		heir := wanted[offered(name)]
		if heir == name || len(t.holders(name)) > 0 || heir == "" && !full {
			continue
		}
		if err := d.bucket.Forget(ctx, keyOf(of, kindTool, name)); err != nil {
			return err
		}
		delete(t.tools, name)
	}
	if len(t.tools)+more > maxKnown {
		return refuse(Conflict, "the tenant would have more than %d tools that run in processes outside; unregister some", maxKnown)
	}
	return nil
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
	told := d.expect(key, "")
	if err := d.bucket.Forget(ctx, key); err != nil {
		return false, err
	}
	d.wait(ctx, key, "", told)
	return true, nil
}
