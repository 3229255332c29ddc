package toolbox

import (
	"context"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// Opened holds the ports that the parts of a worker opened.
type Opened []openPorts

type openPorts struct {
	needs tool.Needs
	ports Ports
}

// Open opens the ports of the parts.
func Open(list []Part, cfg config.Config, files *workspace.Workspaces) (Opened, error) {
	var m Opened
	for _, part := range list {
		if part.Open == nil {
			continue
		}
		opened, err := part.Open(cfg, files)
		if err != nil {
			m.Close()
			return nil, err
		}
		m = append(m, openPorts{part.Ports, opened})
	}
	return m, nil
}

// Close closes the ports.
func (o Opened) Close() {
	for _, p := range o {
		p.ports.Close()
	}
}

// Fill opens the ports of the parts that the tool of a call needs, within the scopes.
func (o Opened) Fill(call *tool.Call, needs tool.Needs, within []tool.Scopes) error {
	for _, p := range o {
		if needs.Has(p.needs) {
			if err := p.ports.Fill(call, within); err != nil {
				return err
			}
		}
	}
	return nil
}

// committer returns the part that stores changes with the results of calls; nil if there
// is none.
func (o Opened) committer() Committer {
	for _, p := range o {
		if c, ok := p.ports.(Committer); ok {
			return c
		}
	}
	return nil
}

// Commits has the engine read and store outcomes through the part that commits them.
func (o Opened) Commits(d *engine.Deps) {
	c := o.committer()
	if c == nil {
		return
	}
	d.Committed = func(ctx context.Context, j *engine.Job) (*engine.Committed, error) { return c.Committed(ctx, &j.Call) }
	d.Refuse = func(ctx context.Context, j *engine.Job, reason *tool.Error) (*engine.Committed, error) {
		return c.Refuse(ctx, &j.Call, reason)
	}
}

// Check returns why one of the parts does not work now.
func (o Opened) Check(ctx context.Context) error {
	for _, p := range o {
		if c, ok := p.ports.(Checker); ok {
			if err := c.Check(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Measure reports the databases of the parts. The returned function ends the report.
func (o Opened) Measure(metrics *telemetry.Metrics) (stop func()) {
	var stops []func()
	for _, p := range o {
		if db, ok := p.ports.(Measured); ok {
			stops = append(stops, metrics.Database("store", db.Stats))
		}
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// Keeper returns the part that holds personal data; nil if there is none.
func (o Opened) Keeper() Keeper {
	for _, p := range o {
		if k, ok := p.ports.(Keeper); ok {
			return k
		}
	}
	return nil
}

// Tasks returns the part that keeps scheduled tasks; nil if there is none.
func (o Opened) Tasks() Tasks {
	for _, p := range o {
		if t, ok := p.ports.(Tasks); ok {
			return t
		}
	}
	return nil
}
