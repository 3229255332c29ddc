package toolbox

import (
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
	"github.com/helve-dev/helve/tool"
)

// Lookup implements [engine.Catalog].
func (t *Toolbox) Lookup(tenant, user, name string) (*engine.Entry, error) {
	e, err := t.lookup(tenant, user, name)
	if err != nil || !e.Tool.Durable {
		return e, err
	}
	return t.rated(tenant, user, e), nil
}

func (t *Toolbox) lookup(tenant, user, name string) (*engine.Entry, error) {
	if e := t.now.Load().byName[name]; e != nil {
		if approvals.Needed(e.Tool.Kind) {
			if err := t.refused(name); err != nil {
				return nil, err
			}
		}
		return e, nil
	}
	if pool := t.otherPool(tenant, name); pool != "" {
		return nil, inOtherPool(name, pool)
	}
	if t.custom != nil {
		e, err := t.custom.Lookup(tenant, user, name)
		if e != nil || err != nil {
			return e, err
		}
	}
	if t.remote != nil {
		e, err := t.remote.Lookup(tenant, name)
		if e != nil && !slices.Contains(t.Pools, e.Tool.Pool) {
			return nil, inOtherPool(name, e.Tool.Pool)
		}
		if e != nil || err != nil {
			return e, err
		}
	}
	if err := t.refused(name); err != nil {
		return nil, err
	}
	if t.custom == nil {
		if err := t.withoutScripts(tenant, user, name); err != nil {
			return nil, err
		}
	}
	if t.lacking(tenant, user, name) {
		return nil, fmt.Errorf("%w: %s", engine.ErrLacking, name)
	}
	return nil, tool.Fail(tool.ToolNotFound, "Tool '%s' not found", name)
}

// refused returns why a tool is withheld or not available now, or nil.
func (t *Toolbox) refused(name string) error {
	for _, refuses := range t.refuses {
		if err := refuses(name); err != nil {
			return err
		}
	}
	return nil
}

// lacking reports whether a tool that is not here is a tool of other workers of this
// worker's pools, or was when they were there.
func (t *Toolbox) lacking(tenant, user, name string) bool {
	if t.All == nil {
		return false
	}
	def, ok := t.All.Of(tenant, user).Get(name)
	return ok && def.Enabled && def.Kind != tool.KindDynamic && def.Kind != tool.KindRemote
}

func inOtherPool(name, pool string) *tool.Error {
	return tool.Fail(tool.ToolNotAvailable,
		"'%s' runs on the workers of pool '%s', and a call that another one makes stays on its worker; call it by itself", name, pool)
}

// otherPool returns the pool of a tool that workers of other pools have, empty if there is
// none of that name. A custom tool does not replace it.
func (t *Toolbox) otherPool(tenant, name string) string {
	if t.All == nil {
		return ""
	}
	def, ok := t.All.Shared.Lookup(name)
	if !ok || slices.Contains(t.Pools, def.Pool) {
		return ""
	}
	if _, concerned := t.All.Of(tenant, "").Get(name); !concerned {
		return ""
	}
	return def.Pool
}

// withoutScripts returns the error for a tool that a model wrote, on a worker that cannot
// run any; nil if there is no such tool.
func (t *Toolbox) withoutScripts(tenant, user, name string) error {
	if t.All == nil {
		return nil
	}
	def, ok := t.All.Of(tenant, user).Get(name)
	if !ok || def.Kind != tool.KindDynamic {
		return nil
	}
	return tool.Fail(tool.NotConfigured,
		"'%s' is a script, and the worker that got the call was built without JavaScript; its operator adds javascript.Part() of "+
			"worker/parts/javascript to the program, or gives it pools of its own (--pools)",
		name)
}
