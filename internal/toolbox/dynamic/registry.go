package dynamic

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/store"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// Runner runs the code that models write, as [sandbox.Pool] does.
type Runner interface {
	Run(ctx context.Context, j sandbox.Job) (json.RawMessage, error)
	// Reserve waits for the slot of a run. The error is a *tool.Error.
	Reserve(ctx context.Context, tenant, user string, depth int) (*sandbox.Slot, error)
}

// Bucket is where tools are stored.
type Bucket = store.Bucket

// Options are the dependencies of a registry.
type Options struct {
	Bucket Bucket
	// Exists reports whether an error of the bucket means that another value is stored.
	Exists func(error) bool
	Runner Runner
	// Turns runs durable tools.
	Turns Runner
	// Declared returns the tools that an entry of a durable tool's list names for a person; nil
	// where the tools are not known.
	Declared func(tenant, user, entry string) []*tool.Definition
	// Taken reports whether a name belongs to another kind of tool of the tenant.
	Taken func(tenant, name string) bool
	// Lib returns the source of a shared library; nil if there are none.
	Lib func(name string) (string, error)
	// Budget bounds the memory for answers to scripts; nil is no bound.
	Budget *js.Budget
	// Logged receives the lines that a script writes to its console.
	Logged func(call *tool.Call, line js.LogLine)
	Log    *zap.Logger
	Now    func() time.Time
}

// Registry holds the dynamic tools of all tenants: their definitions in memory, and the
// code of the recently run ones. It implements [tool.CustomTools].
type Registry struct {
	store  *store.Store
	runner Runner
	taken  func(tenant, name string) bool
	opts   Options
	codes  codes

	mu      sync.RWMutex
	tenants map[string]*tenant
	keys    map[string]*loaded // by their key in the bucket
}

// tenant holds the tools of one tenant.
type tenant struct {
	own    map[string]map[string]*loaded // by owner and name
	shared map[string]*loaded
	count  int // number of tools in own
}

// loaded is one tool in memory.
type loaded struct {
	place store.Place
	meta  tool.CustomTool // without its code
	entry func() (*engine.Entry, error)
}

// New returns an empty registry.
func New(o Options) *Registry {
	return &Registry{
		store: &store.Store{Bucket: o.Bucket, Exists: o.Exists, Now: o.Now}, runner: o.Runner, taken: o.Taken, opts: o,
		tenants: map[string]*tenant{}, keys: map[string]*loaded{},
	}
}

// Follow fills the registry with the stored tools and later changes, until ctx ends. It
// returns when all tools that are stored now are loaded.
func (r *Registry) Follow(ctx context.Context) error {
	return r.opts.Bucket.Follow(ctx, func(key string, value []byte) {
		if value == nil {
			r.forget(key)
			return
		}
		e, place, err := store.Decode(key, value)
		if err != nil {
			r.opts.Log.Warn("custom tool not usable", zap.String("tool", key), zap.Error(err))
			return
		}
		r.keep(place, &e.Tool)
	})
}

// keep adds a tool unless a newer version of it is present: this process may have stored
// that itself, before the notification of the bucket.
func (r *Registry) keep(place store.Place, t *tool.CustomTool) {
	next := &loaded{place: place, meta: *t}
	next.meta.Code, next.meta.Shared = "", place.Shared
	next.entry = sync.OnceValues(func() (*engine.Entry, error) { return r.entry(next) })
	key := place.Key()
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.keys[key]; now != nil {
		if now.meta.ID == t.ID && now.meta.Version > t.Version {
			return
		}
		r.remove(now)
	}
	r.keys[key] = next
	of := r.tenants[place.Tenant]
	if of == nil {
		of = &tenant{own: map[string]map[string]*loaded{}, shared: map[string]*loaded{}}
		r.tenants[place.Tenant] = of
	}
	if place.Shared {
		of.shared[t.Name] = next
		return
	}
	of.count++
	if of.own[t.Owner] == nil {
		of.own[t.Owner] = map[string]*loaded{}
	}
	of.own[t.Owner][t.Name] = next
}

func (r *Registry) forget(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.keys[key]; l != nil {
		r.remove(l)
		delete(r.keys, key)
	}
}

// remove removes a tool from its tenant. The lock is held.
func (r *Registry) remove(l *loaded) {
	of := r.tenants[l.place.Tenant]
	if l.place.Shared {
		delete(of.shared, l.meta.Name)
		return
	}
	of.count--
	if own := of.own[l.meta.Owner]; own[l.meta.Name] == l {
		delete(own, l.meta.Name)
		if len(own) == 0 {
			delete(of.own, l.meta.Owner)
		}
	}
}

// own returns a person's own tool, nil if they have none of that name.
func (r *Registry) own(tenant, user, name string) *loaded {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if of := r.tenants[tenant]; of != nil && user != "" {
		return of.own[user][name]
	}
	return nil
}

// get returns the tool that a name refers to for a person: their own tool before a shared
// one.
func (r *Registry) get(tenant, user, name string) *loaded {
	if l := r.own(tenant, user, name); l != nil {
		return l
	}
	return r.shared(tenant, name)
}

func (r *Registry) shared(tenant, name string) *loaded {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if of := r.tenants[tenant]; of != nil {
		return of.shared[name]
	}
	return nil
}

// Lookup returns the tool that a name refers to for a person, ready to be called; nil if
// there is none.
func (r *Registry) Lookup(tenant, user, name string) (*engine.Entry, error) {
	l := r.get(tenant, user, name)
	if l == nil {
		return nil, nil
	}
	return l.entry()
}

// Permissions returns the permissions of a tool's code; nil for a tool that is not dynamic.
func (r *Registry) Permissions(tenant, user, name string) []string {
	if l := r.get(tenant, user, name); l != nil {
		return l.meta.Permissions
	}
	return nil
}

// seen returns the tools visible to a person, in no order.
func (r *Registry) seen(tenant, user string) []*loaded {
	r.mu.RLock()
	defer r.mu.RUnlock()
	of := r.tenants[tenant]
	if of == nil {
		return nil
	}
	var list []*loaded
	var own map[string]*loaded
	if user != "" {
		own = of.own[user]
	}
	for _, l := range own {
		list = append(list, l)
	}
	for name, l := range of.shared {
		if own[name] == nil {
			list = append(list, l)
		}
	}
	return list
}

// Definitions returns the definitions of the tools visible to a person, in no order.
func (r *Registry) Definitions(tenant, user string) []*tool.Definition {
	var defs []*tool.Definition
	for _, l := range r.seen(tenant, user) {
		def := Definition(&l.meta)
		defs = append(defs, &def)
	}
	return defs
}
