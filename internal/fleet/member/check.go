package member

import (
	"fmt"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// needsWorkspace are the ports whose tools read or write workspaces.
const needsWorkspace = tool.NeedFiles | tool.NeedPrograms | tool.NeedContainers

// Check implements the stage place of the engine: it returns an error for a call that this worker
// does not run. A direct call that changes something here, or makes other calls, is declined and
// queued: the dispatcher knew another version of its tool.
func (m *Member) Check(j *engine.Job) error {
	def := j.Entry().Tool
	if j.Direct && (j.Invocation().Mutates || def.Needs.Has(tool.NeedTools)) {
		return fmt.Errorf("%w: the call is to be queued", engine.ErrRetry)
	}
	if err := m.checkStore(def); err != nil {
		return err
	}
	if def.Needs&needsWorkspace == 0 {
		return nil
	}
	if j.Rehomed {
		j.Note("the worker that had this user's files is gone, and this one keeps workspaces in another directory: " +
			"files from before are missing unless they are written again")
	}
	if apart := m.apart[m.PoolOf(def)]; j.Bound || apart == nil || !apart.Load() {
		return nil
	}
	return tool.Fail(tool.NotConfigured,
		"'%s' uses files, and the workers of pool %s do not share them: this worker keeps workspaces in another directory than the oldest one, "+
			"so files that one call writes would be missing for the next. Ask the operator to put the workspaces of all workers of the pool on "+
			"one shared volume (--data), or to set worker.affinity to user on all of them (docs/deploy.md)",
		def.Name, m.PoolOf(def))
}

// checkStore refuses a tool whose data would be in several databases, each with a part.
func (m *Member) checkStore(t *tool.Tool) error {
	if !m.storesHere(t) {
		return nil
	}
	pool := m.PoolOf(t)
	if apart := m.apart[pool]; apart == nil || !apart.Load() {
		return nil
	}
	return tool.Fail(tool.NotConfigured,
		"'%s' keeps personal data, and the workers of pool %s have data directories of their own: the data would be in several databases, "+
			"each with a part. "+
			"Ask the operator to set store.url to one PostgreSQL database on all workers, or to share one data directory (--data, docs/data.md)",
		t.Name, pool)
}

// storesHere reports whether a tool keeps data in a database that only workers with this
// worker's data directory share.
func (m *Member) storesHere(t *tool.Tool) bool { return m.ownStore && t.Needs.Has(tool.NeedStore) }

// Store returns the name of the database of personal data: workers with one database return the same.
func (m *Member) Store() string {
	if m.ownStore {
		return m.self.Workspace
	}
	return sharedStore
}

// sharedStore identifies the database of store.url, which all workers share.
const sharedStore = "url"

// FilesApart reports whether other workers of a pool keep workspaces elsewhere, so that this one
// answers only for persons that are bound to it.
func (m *Member) FilesApart(pool string) bool {
	apart := m.apart[pool]
	return apart != nil && apart.Load()
}

// DataApart reports whether other workers of a pool keep personal data elsewhere.
func (m *Member) DataApart(pool string) bool { return m.ownStore && m.FilesApart(pool) }

// PoolOf returns the pool of a tool. Tools that models wrote name none, and run in any pool
// of the worker.
func (m *Member) PoolOf(t *tool.Tool) string {
	for _, pool := range m.pools {
		if queue.BasePool(pool) == t.Pool {
			return pool
		}
	}
	return m.pools[0]
}
