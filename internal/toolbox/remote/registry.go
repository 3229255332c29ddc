package remote

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Bucket stores definitions and instances.
type Bucket interface {
	Create(ctx context.Context, key string, value []byte) error
	Replace(ctx context.Context, key string, old, value []byte) error
	Get(ctx context.Context, key string) ([]byte, error)
	// PutFor stores a value that expires, Forget removes it immediately.
	PutFor(ctx context.Context, key string, value []byte, ttl time.Duration) error
	Forget(ctx context.Context, key string) error
	LoadBelow(ctx context.Context, prefix string, have func(key string, value []byte)) error
	Follow(ctx context.Context, change func(key string, value []byte)) error
}

var _ Bucket = (*natsio.Bucket)(nil)

// Registry is this process's copy of the registrations of remote processes. It keeps the
// catalogue up to date: a tool without a live instance is in it, but disabled.
//
// The time since an instance's last heartbeat is measured here, from the heartbeat's
// arrival: no two clocks are compared. The store expires it too, for processes that
// start later.
type Registry struct {
	bucket Bucket
	cat    *catalog.Tenants
	log    *zap.Logger

	mu      sync.Mutex
	tenants map[string]*tenant
	shown   map[string]shown
	silence map[*instance]*time.Timer
	news    chan struct{} // closed and replaced with each change
}

// shown is the state of a tool in the catalogue.
type shown struct {
	hash string
	runs bool
}

// Open follows the bucket until ctx ends. It returns when all stored entries have been
// read.
func Open(ctx context.Context, bucket Bucket, cat *catalog.Tenants, log *zap.Logger) (*Registry, error) {
	r := &Registry{
		bucket: bucket, cat: cat, log: log, tenants: map[string]*tenant{}, shown: map[string]shown{},
		silence: map[*instance]*time.Timer{}, news: make(chan struct{}),
	}
	context.AfterFunc(ctx, r.stop)
	return r, bucket.Follow(ctx, r.change)
}

func (r *Registry) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, timer := range r.silence {
		timer.Stop()
	}
}

func (r *Registry) change(key string, value []byte) {
	of, kind, name := split(key)
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tenants[of]
	if t == nil {
		t = newTenant()
		r.tenants[of] = t
	}
	before := t.instances[name]
	touched, err := t.put(kind, name, value)
	if err != nil {
		r.log.Warn("stored tool of a process outside not usable", zap.String("key", key), zap.Error(err))
	}
	if kind == kindInstance {
		r.hush(before)
		r.hear(of, name, t.instances[name])
	}
	r.show(of, t, touched)
	r.tell()
}

// hush stops the timer of an instance that was replaced; nil has none.
func (r *Registry) hush(i *instance) {
	if timer := r.silence[i]; timer != nil {
		timer.Stop()
		delete(r.silence, i)
	}
}

// hear starts the timer of an instance.
func (r *Registry) hear(of, name string, i *instance) {
	if i == nil {
		return
	}
	i.seen = time.Now()
	r.silence[i] = time.AfterFunc(i.ttl(), func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		t := r.tenants[of]
		if t.instances[name] != i {
			return
		}
		r.log.Info("remote instance expired without a heartbeat", zap.String("tenant", of), zap.String("instance", name))
		touched := t.runs(name)
		delete(t.instances, name)
		delete(r.silence, i)
		r.show(of, t, touched)
	})
}

// show updates the catalogue if something has changed: each update copies it, and
// heartbeats change nothing.
func (r *Registry) show(of string, t *tenant, names []string) {
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		key := of + "." + name
		k, ok := t.tools[name]
		if !ok {
			delete(r.shown, key)
			r.cat.Remove(catalog.Remote, of, name)
			continue
		}
		now := shown{k.Hash, len(t.holders(name)) > 0}
		if r.shown[key] == now {
			continue
		}
		r.shown[key] = now
		def := k.Definition
		def.Enabled = def.Enabled && now.runs
		if err := r.cat.Put(catalog.Remote, of, def); err != nil {
			r.log.Warn("tool of a process outside not usable", zap.String("tenant", of), zap.Error(err))
		}
	}
}

// find returns a tool, and whether an instance runs it.
func (r *Registry) find(of, name string) (k known, runs, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tenants[of]
	if t == nil {
		return known{}, false, false
	}
	k, ok = t.tools[name]
	return k, len(t.holders(name)) > 0, ok
}

// Runs reports whether a process currently runs a tool of that name.
func (r *Registry) Runs(of, name string) bool {
	_, runs, _ := r.find(of, name)
	return runs
}

// Definitions returns those of a tenant's tools that an instance runs, in no order.
func (r *Registry) Definitions(of string) []tool.Definition {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tenants[of]
	if t == nil {
		return nil
	}
	var defs []tool.Definition
	for name := range maps.Keys(t.tools) {
		if len(t.holders(name)) > 0 {
			defs = append(defs, t.tools[name].Definition)
		}
	}
	return defs
}

// Instances returns the live processes of a tenant, by id, with the tools they run.
func (r *Registry) Instances(of string) []protocol.RemoteInstance {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tenants[of]
	if t == nil {
		return nil
	}
	var list []protocol.RemoteInstance
	for _, id := range slices.Sorted(maps.Keys(t.instances)) {
		i := t.instances[id]
		told := protocol.RemoteInstance{Instance: id, Tools: []protocol.WorkerTool{}, TTLMS: i.TTLMS, LastSeen: i.seen.UTC()}
		for _, name := range slices.Sorted(maps.Keys(i.Tools)) {
			if k, ok := t.tools[name]; ok && k.Hash == i.Tools[name] {
				told.Tools = append(told.Tools, protocol.WorkerTool{Name: name, Version: k.Definition.Version, Hash: k.Hash})
			}
		}
		list = append(list, told)
	}
	return list
}

// load reads the stored entries of a tenant.
func (r *Registry) load(ctx context.Context, of string) (*tenant, error) {
	t := newTenant()
	return t, r.bucket.LoadBelow(ctx, of, func(key string, value []byte) {
		_, kind, name := split(key)
		_, _ = t.put(kind, name, value) // the follower of the bucket logs unusable entries
	})
}
