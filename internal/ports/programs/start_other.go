//go:build !linux

package programs

import (
	"context"
	"os"

	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/ports/programs/launch"
	"github.com/helve-dev/helve/tool"
)

type space struct{ name string }

func (r *runner) start(_ context.Context, job *launch.Job, p *tool.Program, theirs [3]*os.File) (*running, func(), error) {
	if !r.programs.options.Unconfined {
		return nil, nil, tool.Fail(tool.NotConfigured,
			"Programs cannot be confined on this system, so they do not run; run the worker on Linux, or set programs.unconfined: true")
	}
	run, err := r.startPlain(job, p, theirs)
	return run, func() {}, err
}

// Probe reports what this host offers to confine programs.
func (p *Programs) Probe(context.Context) []confine.Part {
	return []confine.Part{{Name: "programs", Detail: "only Linux can confine programs; run the worker there, or allow them to run unconfined"}}
}
