package programs

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/helve-dev/helve/internal/backend/programs/launch"
	"github.com/helve-dev/helve/tool"
)

// space is a set of namespaces that a launcher is started in.
type space struct {
	name string
	all  uintptr
}

const (
	apart = syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	// processes bounds those of a run in a user namespace of its own. Threads count.
	processes = 2048
)

// spaces are tried in this order. A privileged worker needs no user namespace.
func spaces() []space {
	all := []space{
		{"namespaces with a root directory of their own, made as another user", syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | apart},
		{"namespaces without mounts, made as another user", syscall.CLONE_NEWUSER | apart},
		{"none", 0},
	}
	if os.Geteuid() == 0 {
		all = append([]space{{"namespaces with a root directory of their own", syscall.CLONE_NEWNS | apart}}, all...)
	}
	return all
}

// furnish says in a job what its launcher will find.
func (s *space) furnish(job *launch.Job) {
	flags := s.flags(job)
	job.Mounts = flags&syscall.CLONE_NEWNS != 0
	job.Pids = flags&syscall.CLONE_NEWPID != 0
	job.Net = flags&syscall.CLONE_NEWNET != 0
	job.IPC = flags&syscall.CLONE_NEWIPC != 0
	if flags&syscall.CLONE_NEWUSER != 0 {
		job.Processes = processes
	}
}

func (s *space) flags(job *launch.Job) uintptr {
	if job.Network {
		return s.all &^ syscall.CLONE_NEWNET
	}
	return s.all
}

// space returns the best of what works on this host, found once by trying.
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
	return nil, tool.Fail(tool.NotConfigured, "Programs cannot be confined on this worker, so they do not run; its operator finds what is missing with 'helve doctor', or may allow them to run unconfined").Because(missing)
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
