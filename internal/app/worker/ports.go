package worker

import (
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/engine/nested"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/equip"
	"github.com/helve-dev/helve/internal/toolbox/personal"
	"github.com/helve-dev/helve/tool"
)

// ports holds the implementations of the ports of tools, and what the program adds.
type ports struct {
	equip.Ports

	parts      []toolbox.Part
	middleware []tool.Middleware
	home       string // the pool of tools that name none
	close      func()
}

// provider returns what gives calls their ports.
func (w *Worker) provider(p ports) *equip.Provider {
	catalogue := func(j *engine.Job) toolbox.AgentCatalog {
		return toolbox.AgentCatalog{All: w.catalogue, Agents: w.agents, Job: j}
	}
	return &equip.Provider{
		Ports: p.Ports, Traced: w.kit.Tracing.Enabled(), TraceHosts: w.cfg.Telemetry.TraceHosts, SharedStore: w.cfg.Store.URL != "",
		CustomTools: w.tools.CustomTools,
		Tools:       func(j *engine.Job) tool.Tools { return nested.New(&w.nested, j) },
		Catalogue:   func(j *engine.Job) tool.Catalogue { return catalogue(j) },
		Durable:     func(j *engine.Job) tool.Durable { return w.tools.Durable(j, catalogue(j)) },
		Schedules: func(j *engine.Job) tool.Schedules {
			return personal.Schedules{Catalog: catalogue(j), Queue: w.queue, PoolOf: w.member.PoolOf}
		},
	}
}
