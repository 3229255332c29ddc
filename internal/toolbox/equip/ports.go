package equip

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/internal/ports/outward"
	"github.com/helve-dev/helve/internal/ports/tracedport"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Workspaces opens the workspace of a tenant's user, as far as the scopes reach.
type Workspaces interface {
	For(tenant, user string, within ...tool.Scopes) (tool.Files, error)
	// Identity identifies the directory of all workspaces among those of other workers.
	Identity() (string, error)
	// Erase removes the workspace of a user.
	Erase(tenant, user string) error
}

// Guard opens ports to the hosts that the scopes allow.
type Guard interface {
	Within(within ...tool.Scopes) tool.HTTP
	Dialer(within ...tool.Scopes) tool.Dialer
}

// Services is the config center.
type Services interface {
	For(tenant, user string) tool.Secrets
}

// Ports holds the implementations of the ports of tools.
type Ports struct {
	Files    Workspaces
	HTTP     Guard
	Outward  *outward.Outward
	Services Services // nil if there is none
	Machine  toolbox.Opened
	Settings tool.Settings
	Cache    *cache.Cache
}

// Provider fills in the ports that the tool of a call needs. It implements [engine.Ports].
type Provider struct {
	Ports

	// Traced is set if ports are traced, TraceHosts names the hosts that are sent the trace, and
	// SharedStore is set if personal data is in a database of several workers.
	Traced      bool
	TraceHosts  []string
	SharedStore bool
	CustomTools func() tool.CustomTools
	// Tools, Catalogue and Schedules return the ports to Helve itself for a job.
	Tools     func(*engine.Job) tool.Tools
	Catalogue func(*engine.Job) tool.Catalogue
	Schedules func(*engine.Job) tool.Schedules
	Durable   func(*engine.Job) tool.Durable
}

// Fill implements [engine.Ports].
func (p *Provider) Fill(j *engine.Job, needs tool.Needs) error {
	j.Clock, j.Settings = clock{}, p.Settings
	if needs == 0 {
		return nil
	}
	within := append([]tool.Scopes{j.Definition().Scopes}, j.Within...)
	if needs.Has(tool.NeedFiles) {
		files, err := p.Files.For(j.Tenant, j.User, within...)
		if err != nil {
			return err
		}
		j.Files = files
	}
	if needs.Has(tool.NeedHTTP) {
		j.HTTP = p.Outward.HTTP(j.Tenant, j.User, p.HTTP.Within(within...))
		if p.Traced {
			j.HTTP = tracedport.HTTP(j.HTTP, p.TraceHosts)
		}
	}
	if needs.Has(tool.NeedDialer) {
		j.Dialer = p.Outward.Dialer(j.Tenant, j.User, p.HTTP.Dialer(within...))
	}
	if needs.Has(tool.NeedTools) {
		j.Tools = p.Tools(j)
	}
	if needs.Has(tool.NeedSecrets) {
		j.Secrets = noSecrets{}
		if p.Services != nil {
			j.Secrets = p.Services.For(j.Tenant, j.User)
		}
	}
	if needs.Has(tool.NeedCache) {
		j.Cache = p.Cache.For(j.Tenant, j.User)
	}
	if needs.Has(tool.NeedCustomTools) {
		j.CustomTools = p.CustomTools()
	}
	if needs.Has(tool.NeedCatalogue) {
		j.Catalogue = p.Catalogue(j)
	}
	if needs.Has(tool.NeedSchedules) {
		j.Schedules = p.Schedules(j)
	}
	if needs.Has(tool.NeedDurable) {
		j.Durable = p.Durable(j)
	}
	if err := p.Machine.Fill(&j.Call, needs, within); err != nil {
		return err
	}
	if p.Traced && j.Store != nil {
		j.Store = tracedport.Store(j.Store, p.SharedStore)
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
