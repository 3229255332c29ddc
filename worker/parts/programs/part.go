// Package programs is the part of a worker that runs programs of its machine for tools
// with [tool.NeedPrograms], confined: git, ffmpeg, command line tools.
package programs

import (
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/ports/programs"
	_ "github.com/helve-dev/helve/internal/ports/programs/launch/autoexec" // see its package comment
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Part returns the part. It looks at nothing of the machine before a program is run.
func Part() toolbox.Part {
	return toolbox.Part{Name: toolbox.Programs, Child: programs.Child, Ports: tool.NeedPrograms, Open: open}
}

type ports struct {
	programs *programs.Programs
	files    *workspace.Workspaces
}

func open(cfg config.Config, files *workspace.Workspaces) (toolbox.Ports, error) {
	p := cfg.Programs
	return ports{files: files, programs: programs.New(programs.Options{
		Dir: files.Dir, Installed: files.Installed, Writable: files.Root(), Path: p.Path, Readable: p.Readable, Unconfined: p.Unconfined,
	})}, nil
}

// Fill implements [toolbox.Ports].
func (p ports) Fill(call *tool.Call, within []tool.Scopes) error {
	port, err := p.programs.For(call.Tenant, call.User, within...)
	if err == nil {
		call.Programs = p.files.Programs(port, call.Tenant, call.User, within...)
	}
	return err
}

// Close implements [toolbox.Ports].
func (ports) Close() {}
