package worker

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/dynamic"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/remote"
	"github.com/helve-dev/helve/internal/upstream"
	"github.com/helve-dev/helve/tool"
)

// toolbox is what this worker can run: the tools it was built with, those of its
// tools directories, which change, and the dynamic ones of each tenant.
type toolbox struct {
	pools, permissions []string
	built              map[string]*engine.Entry // by name and alias; never changes
	now                atomic.Pointer[shelf]
	custom             *dynamic.Registry
	remote             *remote.Runner
	// all is what there is on all workers.
	all *catalog.Tenants

	// upstream is the MCP servers; nil without any.
	upstream *upstream.Pool

	changing sync.Mutex
	files    []*tool.Tool // of the tools directories
	served   []*tool.Tool // of MCP servers
	provided []Provider
}

// shelf is the tools of every tenant at one moment. It is never changed.
type shelf struct {
	byName  map[string]*engine.Entry
	offered map[string]bool // every name as model providers see it
}

// compile prepares every tool of the sets that belongs to one of the pools. A
// permission that nobody knows is refused: nobody could grant it knowingly.
func compile(sets []*tool.Set, pools, permissions []string) (*toolbox, error) {
	t := &toolbox{pools: pools, permissions: permissions, built: map[string]*engine.Entry{}}
	for _, set := range sets {
		for _, tl := range set.Tools() {
			entry, err := t.entry(tl)
			if err != nil {
				return nil, err
			}
			if entry == nil {
				continue
			}
			for _, name := range names(tl) {
				if t.built[name] != nil {
					return nil, fmt.Errorf("tool %s: the name is taken by another set", name)
				}
				t.built[name] = entry
			}
		}
	}
	_, err := t.replace(nil)
	return t, err
}

// entry makes a tool ready to be called; it is nil for one of another pool. What is
// only a way to other tools is in every pool that has those.
func (t *toolbox) entry(tl *tool.Tool) (*engine.Entry, error) {
	if !slices.Contains(t.pools, tl.Pool) && !tl.Delegates() {
		return nil, nil
	}
	if err := policy.KnownPermissions(tl.RequiredPermissions, t.permissions); err != nil {
		return nil, fmt.Errorf("tool %s: %w", tl.Name, err)
	}
	entry, err := engine.NewEntry(tl)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", tl.Name, err)
	}
	return entry, nil
}

// replace puts the tools of the directories in place of those there were. One
// takes the place of a built-in tool of its name: whether it may was decided when
// it was loaded. Refused are those that cannot be offered, by name.
func (t *toolbox) replace(files []*tool.Tool) (refused map[string]error, err error) {
	t.changing.Lock()
	defer t.changing.Unlock()
	next, refused, err := t.arrange(t.provided, files, t.served)
	if err == nil {
		t.files = files
		t.now.Store(next)
	}
	return refused, err
}

// serve puts the tools of MCP servers in place of those there were, as replace does.
// None takes the place of another tool.
func (t *toolbox) serve(served []*tool.Tool) (refused map[string]error, err error) {
	t.changing.Lock()
	defer t.changing.Unlock()
	next, refused, err := t.arrange(t.provided, t.files, served)
	if err == nil {
		t.served = served
		t.now.Store(next)
	}
	return refused, err
}

// arrange is a shelf with the tools of providers, of files and of MCP servers beside the
// built-in ones. Calls have it once it is stored as t.now.
func (t *toolbox) arrange(provided []Provider, files, served []*tool.Tool) (next *shelf, refused map[string]error, err error) {
	next = &shelf{byName: maps.Clone(t.built)}
	offered := catalog.New()
	if err := offered.Put(next.definitions()...); err != nil {
		return nil, nil, err
	}
	refused = map[string]error{}
	var all []*tool.Tool
	for _, p := range provided {
		all = append(all, p.bound()...)
	}
	for _, tl := range slices.Concat(all, files, served) {
		entry, err := t.entry(tl)
		if err == nil && tl.Kind == tool.KindMCP && next.byName[tl.Name] != nil {
			err = fmt.Errorf("the name %s is taken by another tool", tl.Name)
		}
		if err == nil && entry != nil {
			err = offered.Put(tl.Definition) // model providers must be able to tell it from others
		}
		if err != nil {
			refused[tl.Name] = err
			continue
		}
		for _, name := range names(tl) {
			if entry != nil {
				next.byName[name] = entry
			}
		}
	}
	next.offered = make(map[string]bool, len(next.byName))
	for name := range next.byName {
		next.offered[strings.ReplaceAll(name, ".", "_")] = true
	}
	return next, refused, nil
}

func names(tl *tool.Tool) []string { return append([]string{tl.Name}, tl.Aliases...) }

// taken says that a name is that of a tool which every tenant has.
// Names that differ in dots and underscores only are one to model providers.
func (t *toolbox) taken(name string) bool {
	s := t.now.Load()
	return s.byName[name] != nil || s.offered[strings.ReplaceAll(name, ".", "_")]
}

// builtin says that a name is that of a tool which this worker was built with.
func (t *toolbox) builtin(name string) bool { return t.built[name] != nil }

// Lookup implements [engine.Catalog].
func (t *toolbox) Lookup(tenant, name string) (*engine.Entry, error) {
	if e := t.now.Load().byName[name]; e != nil {
		if e.Tool.Kind == tool.KindMCP {
			if err := t.upstream.Refuses(name); err != nil {
				return nil, err
			}
		}
		return e, nil
	}
	if pool := t.elsewhere(tenant, name); pool != "" {
		return nil, otherPool(name, pool)
	}
	if t.custom != nil {
		e, err := t.custom.Lookup(tenant, name)
		if e != nil || err != nil {
			return e, err
		}
	}
	if t.remote != nil {
		e, err := t.remote.Lookup(tenant, name)
		if e != nil && !slices.Contains(t.pools, e.Tool.Pool) {
			return nil, otherPool(name, e.Tool.Pool)
		}
		if e != nil || err != nil {
			return e, err
		}
	}
	if t.upstream != nil {
		if err := t.upstream.Refuses(name); err != nil {
			return nil, err
		}
	}
	return nil, tool.Fail(tool.ToolNotFound, "Tool '%s' not found", name)
}

func otherPool(name, pool string) *tool.Error {
	return tool.Fail(tool.ToolNotAvailable, "'%s' runs on the workers of pool '%s', and a call that another one makes stays on its worker; call it by itself", name, pool)
}

// elsewhere is the pool of a tool that workers of other pools have, "" if there is
// none of that name. A custom tool does not stand in for it.
func (t *toolbox) elsewhere(tenant, name string) string {
	if t.all == nil {
		return ""
	}
	def, ok := t.all.Shared.Lookup(name)
	if !ok || slices.Contains(t.pools, def.Pool) {
		return ""
	}
	if _, concerned := t.all.Of(tenant).Get(name); !concerned {
		return ""
	}
	return def.Pool
}

// definitions are those that every tenant has.
func (t *toolbox) definitions() []tool.Definition { return t.now.Load().definitions() }

func (s *shelf) definitions() []tool.Definition {
	var defs []tool.Definition
	for name, e := range s.byName {
		if name == e.Tool.Name {
			defs = append(defs, e.Tool.Definition)
		}
	}
	slices.SortFunc(defs, func(a, b tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return defs
}

// access asks the agents' tool sets; the worker's view decides.
type access struct {
	tools    *toolbox
	agents   *catalog.Agents
	switches catalog.Switches
}

func (w *Worker) access() access { return access{w.tools, w.agents, w.catalogue.Switches} }

// Allow implements [engine.Access].
func (a access) Allow(_ context.Context, j *engine.Job) error {
	if j.Reach != nil {
		if err := j.Reach(j.Entry().Tool); err != nil {
			return err
		}
	}
	if def := j.Definition(); a.allows(j.Tenant, j.Agent, def) && def.BoundTo.Hold(j.Tenant, j.Agent, j.Conversation) {
		return nil
	}
	return tool.Fail(tool.ToolNotAvailable, "Tool '%s' is not available for this agent", j.Name)
}

func (a access) allows(tenant, agent string, def *tool.Definition) bool {
	return a.switches.Allows(a.agents.Rules(tenant, agent), tenant, agent, def)
}

// check refuses the definition of a file that could not be offered here.
func (t *toolbox) check(def *tool.Definition) error {
	return policy.KnownPermissions(def.RequiredPermissions, t.permissions)
}

// permissionsOf are those of a dynamic tool's code.
func (t *toolbox) permissionsOf(tenant, name string) []string {
	if t.custom == nil {
		return nil
	}
	return t.custom.Permissions(tenant, name)
}
