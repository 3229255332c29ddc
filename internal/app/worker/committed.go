package worker

import (
	"context"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// committer returns the part that stores changes with the results of calls; nil if there
// is none.
func (m machine) committer() toolbox.Committer {
	for _, p := range m {
		if c, ok := p.ports.(toolbox.Committer); ok {
			return c
		}
	}
	return nil
}

// commits has the engine read and store outcomes through the part that commits them.
func (m machine) commits(d *engine.Deps) {
	c := m.committer()
	if c == nil {
		return
	}
	d.Committed = func(ctx context.Context, j *engine.Job) (*engine.Committed, error) { return c.Committed(ctx, &j.Call) }
	d.Refuse = func(ctx context.Context, j *engine.Job, reason *tool.Error) (*engine.Committed, error) {
		return c.Refuse(ctx, &j.Call, reason)
	}
}

// check returns why one of the parts does not work now.
func (m machine) check(ctx context.Context) error {
	for _, p := range m {
		if c, ok := p.ports.(toolbox.Checker); ok {
			if err := c.Check(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkStore refuses a tool whose data would be in several databases, each with a part.
func (p *placement) checkStore(t *tool.Tool) error {
	if !p.storesHere(t) {
		return nil
	}
	pool := p.poolOf(t)
	if apart := p.apart[pool]; apart == nil || !apart.Load() {
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
func (p *placement) storesHere(t *tool.Tool) bool { return p.ownStore && t.Needs.Has(tool.NeedStore) }
