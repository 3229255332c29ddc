package toolbox

import (
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/tool"
)

// The methods of [Tools], by which parts see the toolbox.
var _ Tools = (*Toolbox)(nil)

// Builtin implements [Tools].
func (t *Toolbox) Builtin(name string) bool { return t.built[name] != nil }

// Taken implements [Tools].
func (t *Toolbox) Taken(name string) bool {
	s := t.now.Load()
	return s.byName[name] != nil || s.offered[offeredAs(name)]
}

// TakenFor implements [Tools].
func (t *Toolbox) TakenFor(tenant, name string) bool {
	return t.Taken(name) || t.All.Shared.Taken(name) || t.remote.Runs(tenant, name)
}

// Check implements [Tools].
func (t *Toolbox) Check(def *tool.Definition) error {
	return policy.KnownPermissions(def.RequiredPermissions, t.Permissions)
}

// Home implements [Tools]. A tool in the default pool becomes a tool in the pool of the
// program's own tools: files and MCP servers usually name none.
func (t *Toolbox) Home(tl *tool.Tool) *tool.Tool {
	if t.Pool == "" || tl.Pool != DefaultPool {
		return tl
	}
	return tl.In(t.Pool)
}

// Elsewhere implements [Tools].
func (t *Toolbox) Elsewhere(def *tool.Definition) bool { return t.Offered(def) }

// Definitions implements [Tools].
func (t *Toolbox) Definitions() []tool.Definition { return t.now.Load().definitions() }
