package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/fleet/catalog"
)

// Bounds of one tenant.
const (
	maxInstances = 500
	maxKnown     = 1000
)

// Registrar processes registrations. Any dispatcher can process any of them.
type Registrar struct {
	*Registry

	// Operator has the operator's settings of tools; nil for none. It must not change.
	Operator Operator

	permissions []string
}

// NewRegistrar returns a registrar over a registry. Permissions are those that the operator defined.
func NewRegistrar(r *Registry, permissions []string) *Registrar {
	return &Registrar{Registry: r, permissions: permissions}
}

// races is the number of attempts if concurrent changes get in first.
const races = 5

// Register adds or renews an instance and returns the names of its tools. It does
// everything or, if the error is an [*Error], nothing; an instance that changed its
// tools and lost a race for a name must register again.
func (r *Registrar) Register(ctx context.Context, tenant string, in Registration) ([]string, error) {
	defs, err := in.check(r.permissions, r.Operator)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(defs))
	for i, def := range defs {
		if r.cat.Taken(catalog.Remote, tenant, def.Name) {
			return nil, refuse(Conflict,
				"the name %s belongs to a tool that does not run in a process of yours, or to model providers it looks like one; choose another",
				def.Name)
		}
		names[i] = def.Name
	}
	repeats, err := r.repeats(ctx, tenant, in.Instance, defs)
	if err != nil {
		return nil, err
	}
	if repeats {
		return names, r.beat(ctx, tenant, in, defs)
	}
	if err := r.enter(ctx, tenant, in, defs); err != nil {
		return nil, err
	}
	r.log.Info("a process registered tools", zap.String("tenant", tenant), zap.String("instance", in.Instance), zap.Strings("tools", names))
	return names, nil
}

// enter adds an instance that is new or has changed. Two instances with different
// definitions of one name may register at two dispatchers concurrently: so each first
// stores its claim and then checks for conflicting claims. The later check sees the
// other's claim, so never both are accepted; at worst neither is, and the next
// heartbeat decides.
func (r *Registrar) enter(ctx context.Context, tenant string, in Registration, defs []definition) error {
	if err := r.store(ctx, tenant, in.Instance, defs); err != nil {
		return err
	}
	if err := r.beat(ctx, tenant, in, defs); err != nil {
		return err
	}
	t, err := r.load(ctx, tenant)
	if err == nil {
		err = t.contested(in.Instance, defs)
	}
	if err != nil {
		// The caller may have disconnected; its claim must not block others.
		return errors.Join(err, r.bucket.Forget(context.WithoutCancel(ctx), keyOf(tenant, kindInstance, in.Instance)))
	}
	r.until(ctx, func() bool { return r.agrees(tenant, in.Instance, defs) })
	return nil
}

// repeats reports whether a registration only repeats what is stored: its claim is in
// force, so no conflicting instance was accepted.
func (r *Registrar) repeats(ctx context.Context, tenant, id string, defs []definition) (bool, error) {
	r.mu.Lock()
	agrees := r.agrees(tenant, id, defs)
	r.mu.Unlock()
	if !agrees {
		return false, nil
	}
	value, err := r.bucket.Get(ctx, keyOf(tenant, kindInstance, id))
	var claim instance
	if err != nil || json.Unmarshal(value, &claim) != nil {
		return false, err
	}
	return claims(&claim, defs), nil
}

// claims reports whether an instance claims exactly these definitions.
func claims(i *instance, defs []definition) bool {
	for _, def := range defs {
		if i.Tools[def.Name] != def.Hash {
			return false
		}
	}
	return len(i.Tools) == len(defs)
}

// agrees reports whether this process knows an instance with these definitions. The
// lock is held.
func (r *Registrar) agrees(of, id string, defs []definition) bool {
	t := r.tenants[of]
	if t == nil || t.instances[id] == nil || !claims(t.instances[id], defs) {
		return false
	}
	return !slices.ContainsFunc(defs, func(def definition) bool { return t.tools[def.Name].Hash != def.Hash })
}

// beat stores an instance's heartbeat and its claims.
func (r *Registrar) beat(ctx context.Context, tenant string, in Registration, defs []definition) error {
	i := instance{TTLMS: in.TTL.Milliseconds(), Tools: make(map[string]string, len(defs)), Beat: rand.Text()}
	for _, def := range defs {
		i.Tools[def.Name] = def.Hash
	}
	value, err := json.Marshal(i)
	if err != nil {
		return err
	}
	// The store counts in seconds.
	return r.bucket.PutFor(ctx, keyOf(tenant, kindInstance, in.Instance), value, (in.TTL + time.Second - 1).Truncate(time.Second))
}

// Unregister removes an instance. It reports whether it existed.
func (r *Registrar) Unregister(ctx context.Context, tenant, id string) (bool, error) {
	if err := checkInstance(id); err != nil {
		return false, err
	}
	key := keyOf(tenant, kindInstance, id)
	value, err := r.bucket.Get(ctx, key)
	if value == nil || err != nil {
		return false, err
	}
	if err := r.bucket.Forget(ctx, key); err != nil {
		return false, err
	}
	r.until(ctx, func() bool { t := r.tenants[tenant]; return t == nil || t.instances[id] == nil })
	return true, nil
}
