package worker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// toolbox is what this worker can run, by name and alias.
type toolbox struct {
	byName  map[string]*engine.Entry
	catalog *catalog.Catalog
}

// compile prepares every tool of the sets that belongs to one of the pools. A
// permission that nobody knows is refused: nobody could grant it knowingly.
func compile(sets []*tool.Set, pools, permissions []string) (*toolbox, error) {
	t := &toolbox{byName: map[string]*engine.Entry{}, catalog: catalog.New()}
	for _, set := range sets {
		for _, tl := range set.Tools() {
			if !slices.Contains(pools, tl.Pool) {
				continue
			}
			if err := known(tl.RequiredPermissions, permissions); err != nil {
				return nil, fmt.Errorf("tool %s: %w", tl.Name, err)
			}
			entry, err := engine.NewEntry(tl)
			if err != nil {
				return nil, fmt.Errorf("tool %s: %w", tl.Name, err)
			}
			for _, name := range append([]string{tl.Name}, tl.Aliases...) {
				if t.byName[name] != nil {
					return nil, fmt.Errorf("tool %s: the name is taken by another set", name)
				}
				t.byName[name] = entry
			}
		}
	}
	return t, t.catalog.Put(t.definitions()...)
}

// builtinPermissions are those that need no configuration: what the diagnostic
// tools and tools written by models may require.
var builtinPermissions = []string{"database", "debug.permission", "email", "filesystem", "network", "scheduling", "shell"}

func known(required, configured []string) error {
	for _, name := range required {
		if !slices.Contains(builtinPermissions, name) && !slices.Contains(configured, name) {
			return fmt.Errorf("permission %q is not known; add it to policy.permissions, or use one of %s", name, strings.Join(builtinPermissions, ", "))
		}
	}
	return nil
}

// Lookup implements [engine.Catalog].
func (t *toolbox) Lookup(_, name string) (*engine.Entry, error) {
	if e := t.byName[name]; e != nil {
		return e, nil
	}
	return nil, tool.Fail(tool.ToolNotFound, "Tool '%s' not found", name)
}

func (t *toolbox) definitions() []tool.Definition {
	var defs []tool.Definition
	for name, e := range t.byName {
		if name == e.Tool.Name {
			defs = append(defs, e.Tool.Definition)
		}
	}
	slices.SortFunc(defs, func(a, b tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return defs
}

// access asks the agents' tool sets; the worker's view decides.
type access struct {
	catalog *catalog.Catalog
	agents  *catalog.Agents
}

// Allow implements [engine.Access].
func (a access) Allow(_ context.Context, j *engine.Job) error {
	if a.catalog.Allows(a.agents.Rules(j.Tenant, j.Agent), j.Agent, j.Definition()) {
		return nil
	}
	return tool.Fail(tool.ToolNotAvailable, "Tool '%s' is not available for this agent", j.Name)
}
