package remote

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/tool"
)

// Bucket is where definitions and instances are stored.
type Bucket interface {
	Create(ctx context.Context, key string, value []byte) error
	Replace(ctx context.Context, key string, old, value []byte) error
	Get(ctx context.Context, key string) ([]byte, error)
	// PutFor stores what is forgotten after a time, and Forget forgets it now.
	PutFor(ctx context.Context, key string, value []byte, ttl time.Duration) error
	Forget(ctx context.Context, key string) error
	LoadBelow(ctx context.Context, prefix string, have func(key string, value []byte)) error
	Follow(ctx context.Context, change func(key string, value []byte)) error
}

var _ Bucket = (*bus.Bucket)(nil)

// Book is what one process knows of processes outside. It keeps the catalogue: a tool
// that nobody runs now is in it, not enabled.
//
// How long an instance was not heard of is measured here, from when its heartbeat came:
// no two clocks are compared. The store forgets it too, for who starts later.
type Book struct {
	bucket Bucket
	cat    *catalog.Tenants
	log    *zap.Logger

	mu      sync.Mutex
	tenants map[string]*tenant
	shown   map[string]shown
	silence map[*instance]*time.Timer
	news    chan struct{} // closed and replaced with each change
}

// shown is how a tool stands in the catalogue.
type shown struct {
	hash string
	runs bool
}

// Open follows the bucket until ctx ends. It returns when all that is stored now is
// known.
func Open(ctx context.Context, bucket Bucket, cat *catalog.Tenants, log *zap.Logger) (*Book, error) {
	b := &Book{
		bucket: bucket, cat: cat, log: log, tenants: map[string]*tenant{}, shown: map[string]shown{},
		silence: map[*instance]*time.Timer{}, news: make(chan struct{}),
	}
	context.AfterFunc(ctx, b.stop)
	return b, bucket.Follow(ctx, b.change)
}

func (b *Book) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, timer := range b.silence {
		timer.Stop()
	}
}

func (b *Book) change(key string, value []byte) {
	of, kind, name := split(key)
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tenants[of]
	if t == nil {
		t = newTenant()
		b.tenants[of] = t
	}
	before := t.instances[name]
	touched, err := t.put(kind, name, value)
	if err != nil {
		b.log.Warn("stored tool of a process outside not usable", zap.String("key", key), zap.Error(err))
	}
	if kind == kindInstance {
		b.hush(before)
		b.hear(of, name, t.instances[name])
	}
	b.show(of, t, touched)
	b.tell()
}

// hush forgets the timer of an instance that was replaced; nil has none.
func (b *Book) hush(i *instance) {
	if timer := b.silence[i]; timer != nil {
		timer.Stop()
		delete(b.silence, i)
	}
}

// hear begins to count the time in which an instance is not heard of.
func (b *Book) hear(of, name string, i *instance) {
	if i == nil {
		return
	}
	b.silence[i] = time.AfterFunc(i.ttl(), func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		t := b.tenants[of]
		if t.instances[name] != i {
			return
		}
		b.log.Info("an instance was not heard of for its ttl; its tools are not available by it", zap.String("tenant", of), zap.String("instance", name))
		touched := t.runs(name)
		delete(t.instances, name)
		delete(b.silence, i)
		b.show(of, t, touched)
	})
}

// show brings the catalogue up to date, where that changes anything: each change makes
// a copy of it, and heartbeats change nothing.
func (b *Book) show(of string, t *tenant, names []string) {
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		key := of + "." + name
		k, ok := t.tools[name]
		if !ok {
			delete(b.shown, key)
			b.cat.Remove(catalog.Remote, of, name)
			continue
		}
		now := shown{k.Hash, len(t.holders(name)) > 0}
		if b.shown[key] == now {
			continue
		}
		b.shown[key] = now
		def := k.Definition
		def.Enabled = def.Enabled && now.runs
		if err := b.cat.Put(catalog.Remote, of, def); err != nil {
			b.log.Warn("tool of a process outside not usable", zap.String("tenant", of), zap.Error(err))
		}
	}
}

// find returns a tool, and whether anybody runs it.
func (b *Book) find(of, name string) (k known, runs, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tenants[of]
	if t == nil {
		return known{}, false, false
	}
	k, ok = t.tools[name]
	return k, len(t.holders(name)) > 0, ok
}

// Runs reports whether a process runs a tool of that name now.
func (b *Book) Runs(of, name string) bool {
	_, runs, _ := b.find(of, name)
	return runs
}

// Definitions returns those of a tenant's tools that somebody runs, in no order.
func (b *Book) Definitions(of string) []tool.Definition {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tenants[of]
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

// load reads what is stored of a tenant now.
func (b *Book) load(ctx context.Context, of string) (*tenant, error) {
	t := newTenant()
	return t, b.bucket.LoadBelow(ctx, of, func(key string, value []byte) {
		_, kind, name := split(key)
		_, _ = t.put(kind, name, value) // whoever follows the bucket logs what is not usable
	})
}
