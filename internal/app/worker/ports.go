package worker

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/engine/nested"
	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/internal/ports/outward"
	"github.com/helve-dev/helve/internal/ports/tracedport"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/personal"
	"github.com/helve-dev/helve/tool"
)

// workspaces opens the workspace of a tenant's user, as far as the scopes reach.
type workspaces interface {
	For(tenant, user string, within ...tool.Scopes) (tool.Files, error)
	// Identity identifies the directory of all workspaces among those of other workers.
	Identity() (string, error)
	// Erase removes the workspace of a user.
	Erase(tenant, user string) error
}

// guard opens ports to the hosts that the scopes allow.
type guard interface {
	Within(within ...tool.Scopes) tool.HTTP
	Dialer(within ...tool.Scopes) tool.Dialer
}

// services is the config center.
type services interface {
	For(tenant, user string) tool.Secrets
}

// ports holds the implementations of the ports of tools.
type ports struct {
	files    workspaces
	http     guard
	outward  *outward.Outward
	services services // nil if there is none
	machine  toolbox.Opened
	settings tool.Settings
	cache    *cache.Cache
	parts    []toolbox.Part

	middleware []tool.Middleware
	home       string // the pool of tools that name none
	close      func()
}

// portProvider fills in the ports that the tool of a call needs.
type portProvider struct {
	w *Worker
	ports
	traced bool
}

// Fill implements [engine.Ports].
func (p portProvider) Fill(j *engine.Job, needs tool.Needs) error {
	j.Clock, j.Settings = clock{}, p.settings
	if needs == 0 {
		return nil
	}
	within := append([]tool.Scopes{j.Definition().Scopes}, j.Within...)
	if needs.Has(tool.NeedFiles) {
		files, err := p.files.For(j.Tenant, j.User, within...)
		if err != nil {
			return err
		}
		j.Files = files
	}
	if needs.Has(tool.NeedHTTP) {
		j.HTTP = p.outward.HTTP(j.Tenant, j.User, p.http.Within(within...))
		if p.traced {
			j.HTTP = tracedport.HTTP(j.HTTP, p.w.cfg.Telemetry.TraceHosts)
		}
	}
	if needs.Has(tool.NeedDialer) {
		j.Dialer = p.outward.Dialer(j.Tenant, j.User, p.http.Dialer(within...))
	}
	if needs.Has(tool.NeedTools) {
		j.Tools = nested.New(&p.w.nested, j)
	}
	if needs.Has(tool.NeedSecrets) {
		j.Secrets = noSecrets{}
		if p.services != nil {
			j.Secrets = p.services.For(j.Tenant, j.User)
		}
	}
	if needs.Has(tool.NeedCache) {
		j.Cache = p.cache.For(j.Tenant, j.User)
	}
	if needs.Has(tool.NeedCustomTools) {
		j.CustomTools = p.w.tools.CustomTools()
	}
	if needs.Has(tool.NeedCatalogue) {
		j.Catalogue = toolbox.AgentCatalog{All: p.w.catalogue, Agents: p.w.agents, Job: j}
	}
	if needs.Has(tool.NeedSchedules) {
		j.Schedules = personal.Schedules{
			Catalog: toolbox.AgentCatalog{All: p.w.catalogue, Agents: p.w.agents, Job: j}, Queue: p.w.queue, PoolOf: p.w.member.PoolOf,
		}
	}
	if err := p.machine.Fill(&j.Call, needs, within); err != nil {
		return err
	}
	if p.traced && j.Store != nil {
		j.Store = tracedport.Store(j.Store, p.w.cfg.Store.URL != "")
	}
	if work, ok := j.Store.(engine.Work); ok {
		j.Work = work
	}
	return nil
}

// noSecrets is a config center without entries.
type noSecrets struct{}

// Entries implements [tool.Secrets].
func (noSecrets) Entries(context.Context, string) ([]tool.ServiceEntry, error) { return nil, nil }

type clock struct{}

// Now implements [tool.Clock].
func (clock) Now() time.Time { return time.Now() }
