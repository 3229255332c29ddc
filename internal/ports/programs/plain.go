package programs

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/helve-dev/helve/internal/ports/programs/launch"
	"github.com/helve-dev/helve/tool"
)

// startPlain starts a program without confinement. Only its process group is ended with
// it.
func (r *runner) startPlain(job *launch.Job, p *tool.Program, theirs [3]*os.File) (*running, error) {
	root, err := os.OpenRoot(job.Workspace)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(job.Dir)
	switch {
	case os.IsNotExist(err):
		return nil, tool.Fail(tool.FileNotFound, "Directory not found: %s", job.Dir).Because(err)
	case err != nil:
		return nil, tool.Fail(tool.PathNotAllowed, "Access denied: path is outside the workspace").Because(err)
	case !info.IsDir():
		return nil, tool.Fail(tool.ValidationError, "Path is a file, not a directory: %s", job.Dir)
	}
	cmd := &exec.Cmd{
		Path: job.File, Args: append([]string{p.Name}, p.Args...), Dir: job.Workspace + "/" + job.Dir,
		Env:   r.environment(job, p, job.Home(), job.Temp()),
		Stdin: theirs[0], Stdout: theirs[1], Stderr: theirs[2],
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: job.Terminal},
	}
	if err := cmd.Start(); err != nil {
		return nil, tool.Fail(tool.ExecutionError, "The program could not be started").Because(err)
	}
	group := -cmd.Process.Pid
	signal := func(s syscall.Signal) func() { return func() { _ = syscall.Kill(group, s) } }
	return &running{
		terminate: signal(syscall.SIGTERM),
		kill:      signal(syscall.SIGKILL),
		wait: func() (syscall.WaitStatus, error) {
			_ = cmd.Wait() // the exit state tells
			_ = syscall.Kill(group, syscall.SIGKILL)
			status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
			return status, nil
		},
	}, nil
}
