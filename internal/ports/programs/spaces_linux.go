package programs

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/ports/programs/launch"
	"github.com/helve-dev/helve/tool"
)

// space is a set of namespaces in which a launcher is started.
type space struct {
	name string
	all  uintptr
}

// processes limits those of a run in a user namespace of its own. Threads count.
const processes = 2048

// spaces returns the sets in the order in which they are tried. A privileged worker
// needs no user namespace.
func spaces() []space {
	all := []space{
		{"namespaces with a root directory of their own, made as another user", confine.Users | confine.Mounts | confine.Apart},
		{"namespaces without mounts, made as another user", confine.Users | confine.Apart},
		{"none", 0},
	}
	if os.Geteuid() == 0 {
		all = append([]space{{"namespaces with a root directory of their own", confine.Mounts | confine.Apart}}, all...)
	}
	return all
}

// furnish describes the namespaces of the launcher in its job.
func (s *space) furnish(job *launch.Job) {
	flags := s.flags(job)
	job.Spaces(flags)
	if flags&confine.Users != 0 {
		job.Processes = processes
	}
}

func (s *space) flags(job *launch.Job) uintptr {
	if job.Network {
		return s.all &^ confine.Network
	}
	return s.all
}

// space returns the best set that works on this host, probed once.
func (p *Programs) space(ctx context.Context) (*space, error) {
	p.spaces.Lock()
	defer p.spaces.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	var failures []string
	for _, s := range spaces() {
		err := p.try(ctx, &s)
		if err == nil {
			p.found = &s
			return p.found, nil
		}
		if ctx.Err() != nil {
			return nil, tool.AsError(context.Cause(ctx))
		}
		failures = append(failures, s.name+": "+err.Error())
	}
	missing := fmt.Errorf("%s", strings.Join(failures, "; "))
	return nil, tool.Fail(tool.NotConfigured, "Programs cannot be confined on this worker, so they do not run; "+
		"its operator runs 'helve doctor', which names what is missing, or sets programs.unconfined: true").Because(missing)
}

// try confines a launcher that starts nothing.
func (p *Programs) try(ctx context.Context, s *space) error {
	dir, err := makePrivate(p.options.Scratch)
	if err != nil {
		return err
	}
	defer dir.remove()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	job := &launch.Job{Trial: true, Workspace: string(dir) + "/home", Dir: ".", Grants: []string{"."}, System: p.system, Private: string(dir)}
	s.furnish(job)
	run, release, err := p.launch(s.flags(job), job, [3]*os.File{null, null, null})
	if err != nil {
		return err
	}
	defer release()
	stop := context.AfterFunc(ctx, run.kill)
	defer stop()
	_, err = run.wait()
	return err
}
