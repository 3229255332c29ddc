package worker

import (
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

// ports gives a call what its tool asked for.
type ports struct {
	files workspaces
	http  guard
}

// Fill implements [engine.Ports].
func (p ports) Fill(j *engine.Job, needs tool.Needs) error {
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
	return nil
}

type clock struct{}

// Now implements [tool.Clock].
func (clock) Now() time.Time { return time.Now() }
