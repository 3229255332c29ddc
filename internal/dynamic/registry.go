package dynamic

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/sandbox"
	"github.com/helve-dev/helve/tool"
)

// Cage runs code that a model wrote.
type Cage interface {
	Run(ctx context.Context, j sandbox.Job) (json.RawMessage, error)
}

// Options are what a registry leans on.
type Options struct {
	Bucket Bucket
	// Exists says that an error of the bucket means that somebody was first.
	Exists func(error) bool
	Cage   Cage
	// Taken says that a name belongs to a tool that is not dynamic, and that the tenant has.
	Taken func(tenant, name string) bool
	// Lib yields the source of a shared library; nil if there are none.
	Lib func(name string) (string, error)
	// Logged takes what a script writes to its console.
	Logged func(call *tool.Call, line js.LogLine)
	Log    *zap.Logger
	Now    func() time.Time
}

// Registry knows the dynamic tools of all tenants. It holds their definitions in
// memory, and their code only where it lately ran. It implements
// [tool.CustomTools].
type Registry struct {
	bucket Bucket
	exists func(error) bool
	cage   Cage
	taken  func(tenant, name string) bool
	opts   Options
	codes  codes

	mu      sync.RWMutex
	tenants map[string]map[string]*loaded
}

// loaded is one tool as this process knows it.
type loaded struct {
	meta  tool.CustomTool // without its code
	entry func() (*engine.Entry, error)
}

// New returns an empty registry.
func New(o Options) *Registry {
	return &Registry{bucket: o.Bucket, exists: o.Exists, cage: o.Cage, taken: o.Taken, opts: o, tenants: map[string]map[string]*loaded{}}
}

// Follow fills the registry with what is stored, now and as it changes, until ctx
// ends. It returns when all that is there now is in.
func (r *Registry) Follow(ctx context.Context) error {
	return r.bucket.Follow(ctx, func(k string, value []byte) {
		tenant, name, _ := strings.Cut(k, ".")
		if value == nil {
			r.forget(tenant, name)
			return
		}
		t, err := decode(name, value)
		if err != nil {
			r.opts.Log.Warn("custom tool not usable", zap.String("tool", k), zap.Error(err))
			return
		}
		r.keep(tenant, t)
	})
}

// keep takes in a tool unless a newer version of it is in already: this process
// may have stored that itself, ahead of what the bucket tells.
func (r *Registry) keep(tenant string, t *tool.CustomTool) {
	meta := *t
	meta.Code = ""
	next := &loaded{meta: meta}
	next.entry = sync.OnceValues(func() (*engine.Entry, error) { return r.entry(&next.meta) })
	r.mu.Lock()
	defer r.mu.Unlock()
	tools := r.tenants[tenant]
	if tools == nil {
		tools = map[string]*loaded{}
		r.tenants[tenant] = tools
	}
	if now := tools[t.Name]; now != nil && now.meta.ID == t.ID && now.meta.Version > t.Version {
		return
	}
	tools[t.Name] = next
}

func (r *Registry) forget(tenant, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tenants[tenant], name)
}

func (r *Registry) get(tenant, name string) *loaded {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.tenants[tenant][name]
}

func (r *Registry) has(tenant, name string) bool { return r.get(tenant, name) != nil }

// Lookup finds a tool of a tenant, ready to be called; nil if there is none of
// that name.
func (r *Registry) Lookup(tenant, name string) (*engine.Entry, error) {
	l := r.get(tenant, name)
	if l == nil {
		return nil, nil
	}
	return l.entry()
}

// Permissions are those of a tool's code; nil for a tool that is not dynamic.
func (r *Registry) Permissions(tenant, name string) []string {
	if l := r.get(tenant, name); l != nil {
		return l.meta.Permissions
	}
	return nil
}

// Definitions returns those of a tenant's tools, in no order.
func (r *Registry) Definitions(tenant string) []*tool.Definition {
	r.mu.RLock()
	defer r.mu.RUnlock()
	defs := make([]*tool.Definition, 0, len(r.tenants[tenant]))
	for _, l := range r.tenants[tenant] {
		def := Definition(&l.meta)
		defs = append(defs, &def)
	}
	return defs
}
