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
