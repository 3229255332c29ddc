package worker

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// workspaces opens the workspace of a tenant's user, as far as the scopes reach.
type workspaces interface {
	For(tenant, user string, within ...tool.Scopes) (tool.Files, error)
}

// guard reaches the hosts that the scopes allow.
type guard interface {
	Within(within ...tool.Scopes) tool.HTTP
}

// services is the config center.
type services interface {
	For(tenant, user string) tool.Secrets
}

// ports are what tools reach the world through.
type ports struct {
	files     workspaces
	http      guard
	services  services // nil if there is none
	documents documentStore
	machine   machine

	middleware []tool.Middleware
	close      func()
}

// equipment gives a call what its tool asked for.
type equipment struct {
	w *Worker
	ports
}

// Fill implements [engine.Ports].
func (p equipment) Fill(j *engine.Job, needs tool.Needs) error {
	j.Clock = clock{}
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
		j.HTTP = p.http.Within(within...)
	}
	if needs.Has(tool.NeedTools) {
		j.Tools = &inner{w: p.w, outer: j}
	}
	if needs.Has(tool.NeedSecrets) {
		j.Secrets = noSecrets{}
		if p.services != nil {
			j.Secrets = p.services.For(j.Tenant, j.User)
		}
	}
	if needs.Has(tool.NeedDocuments) {
		documents, err := p.documents.For(j.Tenant, j.User)
		if err != nil {
			return err
		}
		j.Documents = documents
	}
	if needs.Has(tool.NeedCustomTools) {
		j.CustomTools = p.w.tools.custom
	}
	if needs.Has(tool.NeedCatalogue) {
		j.Catalogue = shop{p.w, j}
	}
	return p.machine.fill(j, needs, within)
}

// noSecrets is a config center in which nothing is configured.
type noSecrets struct{}

// Entries implements [tool.Secrets].
func (noSecrets) Entries(context.Context, string) ([]tool.ServiceEntry, error) { return nil, nil }

type clock struct{}

// Now implements [tool.Clock].
func (clock) Now() time.Time { return time.Now() }
