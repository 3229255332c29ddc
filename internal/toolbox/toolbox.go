package toolbox

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/toolbox/remote"
	"github.com/helve-dev/helve/tool"
)

// Toolbox holds the tools that a worker runs: the built-in ones, those of providers, of
// tools directories, of MCP servers and of API documents, which change and make one
// snapshot, the tools that models wrote, and those that remote processes run.
type Toolbox struct {
	Options
	built map[string]*engine.Entry // by name and alias; never changes
	now   atomic.Pointer[snapshot]
	// changed receives a value when the snapshot was replaced. One waiting value is enough.
	changed chan struct{}
	custom  Custom // nil without JavaScript
	runs    Durable
	remote  *remote.Runner
	// refuses return why a tool of an MCP server or an API is withheld.
	refuses []func(name string) *tool.Error

	changing sync.Mutex
	sources  sources
}

// Options describe the worker of a [Toolbox].
type Options struct {
	// Sets are the built-in tools; those of other pools than Pools are left out.
	Sets  []*tool.Set
	Pools []string
	// Permissions are the names of permissions that operators have added.
	Permissions []string
	// Opened are the ports that the parts of the worker open.
	Opened tool.Needs
	// Pool is the pool of tools that name none.
	Pool string
	// All holds the tools of all workers; nil if they are not known.
	All *catalog.Tenants
	// Offered reports whether another live worker announces a tool.
	Offered func(def *tool.Definition) bool
}

// New prepares every tool of the sets that belongs to one of the pools. A permission that
// is not known is refused: nobody could grant it knowingly.
func New(o Options) (*Toolbox, error) {
	t := &Toolbox{Options: o, built: map[string]*engine.Entry{}, changed: make(chan struct{}, 1)}
	for _, set := range o.Sets {
		for _, tl := range set.Tools() {
			entry, err := t.entry(tl)
			if err != nil {
				return nil, err
			}
			if entry == nil {
				continue
			}
			for _, name := range Names(tl) {
				if t.built[name] != nil {
					return nil, fmt.Errorf("tool %s: the name is taken by another set", name)
				}
				t.built[name] = entry
			}
		}
	}
	_, err := t.Replace(nil)
	return t, err
}

// entry prepares a tool to be called; it is nil for a tool of another pool. A tool that
// delegates to others is in every pool.
func (t *Toolbox) entry(tl *tool.Tool) (*engine.Entry, error) {
	if !slices.Contains(t.Pools, tl.Pool) && !tl.Delegates() {
		return nil, nil
	}
	if err := policy.KnownPermissions(tl.RequiredPermissions, t.Permissions); err != nil {
		return nil, fmt.Errorf("tool %s: %w", tl.Name, err)
	}
	if err := lacks(tl.Needs, t.Opened); err != nil {
		return nil, fmt.Errorf("tool %s: %w", tl.Name, err)
	}
	if tl.Kind == tool.KindOpenAPI { // there are thousands, of schemas that compile
		return engine.NewLazyEntry(tl), nil
	}
	entry, err := engine.NewEntry(tl)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", tl.Name, err)
	}
	if tl.Durable {
		entry.Reserve = t.reserveProgram
	}
	return entry, nil
}

// Durable returns the port by which the call of a job runs as a program.
func (t *Toolbox) Durable(j *engine.Job, c tool.Catalogue) tool.Durable { return t.runs.For(j, c) }

// Attach adds the sources of a part. A worker calls it before it takes calls.
func (t *Toolbox) Attach(a Attached) {
	if a.Custom != nil {
		t.custom = a.Custom
	}
	if a.Durable != nil {
		t.runs = a.Durable
	}
	if a.Refuses != nil {
		t.refuses = append(t.refuses, a.Refuses)
	}
}

// AttachRemote adds the tools that remote processes run. A worker calls it before it takes
// calls.
func (t *Toolbox) AttachRemote(r *remote.Runner) { t.remote = r }

// Custom returns the registry of the tools that models wrote, nil without JavaScript.
func (t *Toolbox) Custom() Custom { return t.custom }

// CustomTools returns that registry as tools see it. It is nil, and not an interface that
// holds nil, on a worker without JavaScript.
func (t *Toolbox) CustomTools() tool.CustomTools {
	if t.custom == nil {
		return nil
	}
	return t.custom
}

// Remote returns the definitions of the tenant's tools that remote processes run.
func (t *Toolbox) Remote(tenant string) []tool.Definition { return t.remote.Definitions(tenant) }

// AllOf returns the definitions of all tools that a person has on this worker.
func (t *Toolbox) AllOf(tenant, user string) []tool.Definition {
	all := t.Definitions()
	if custom := t.Custom(); custom != nil {
		for _, def := range custom.Definitions(tenant, user) {
			all = append(all, *def)
		}
	}
	return append(all, t.Remote(tenant)...)
}

// PermissionsOf returns the permissions of the code of a tool that a model wrote.
func (t *Toolbox) PermissionsOf(tenant, user, name string) []string {
	if t.custom == nil {
		return nil
	}
	return t.custom.Permissions(tenant, user, name)
}

// Changed returns a channel that receives a value when the snapshot was replaced.
func (t *Toolbox) Changed() <-chan struct{} { return t.changed }

// Kinds returns the list of the tools in each of the worker's pools. Tools that delegate
// to others are in all of them.
func (t *Toolbox) Kinds() (map[string]*fleet.Kind, error) {
	s, kinds := t.now.Load(), map[string]*fleet.Kind{}
	for _, pool := range t.Pools {
		defs := slices.DeleteFunc(s.definitions(), func(def tool.Definition) bool {
			return def.Pool != pool && !s.byName[def.Name].Tool.Delegates()
		})
		kind, err := fleet.NewKind(defs)
		if err != nil {
			return nil, err
		}
		kinds[pool] = kind
	}
	return kinds, nil
}

// Names returns the name and the aliases of a tool.
func Names(tl *tool.Tool) []string { return append([]string{tl.Name}, tl.Aliases...) }

// offeredAs returns a name as model providers see it: names that differ in dots and
// underscores only are the same to them.
func offeredAs(name string) string { return strings.ReplaceAll(name, ".", "_") }
