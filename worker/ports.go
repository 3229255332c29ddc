package worker

import (
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// workspaces opens the workspace of a tenant's user.
type workspaces interface {
	For(tenant, user string) (tool.Files, error)
}

// ports gives a call what its tool asked for.
type ports struct {
	files workspaces
	http  tool.HTTP
}

// Fill implements [engine.Ports].
func (p ports) Fill(j *engine.Job, needs tool.Needs) error {
	j.Clock = clock{}
	if needs.Has(tool.NeedFiles) {
		files, err := p.files.For(j.Tenant, j.User)
		if err != nil {
			return err
		}
		j.Files = files
	}
	if needs.Has(tool.NeedHTTP) {
		j.HTTP = p.http
	}
	return nil
}

type clock struct{}

// Now implements [tool.Clock].
func (clock) Now() time.Time { return time.Now() }
