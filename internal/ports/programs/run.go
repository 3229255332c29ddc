package programs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/ports/programs/launch"
	"github.com/helve-dev/helve/tool"
)

// Limits of a run that its Program does not set.
const (
	memory      = 2 << 30 // data of each process
	leastMemory = 8 << 20 // programs do not start with less
	fileSize    = 2 << 30
	openFiles   = 4096
)

// running is a started program.
type running struct {
	terminate func() // requests its end
	kill      func() // ends it, and all processes it started
	// wait returns when all of them are gone; the error is the reason why the program
	// did not run, or that its outcome is unknown.
	wait func() (syscall.WaitStatus, error)
}

// Run implements [tool.Programs].
func (r *runner) Run(ctx context.Context, p tool.Program) (tool.Ran, error) {
	if ctx.Err() != nil {
		return tool.Ran{}, tool.AsError(context.Cause(ctx))
	}
	job, err := r.job(&p)
	if err != nil {
		return tool.Ran{}, err
	}
	private, err := makePrivate(r.programs.options.Scratch)
	if err != nil {
		return tool.Ran{}, tool.Fail(tool.Internal, "The worker has no room for a program's temporary files").Because(err)
	}
	defer private.remove()
	job.Private = string(private)
	if p.Apart {
		job.Workspace = private.empty()
	}
	flow, out, errOut := newFlow(&p)
	streams, err := connect(&p, out, errOut)
	if err != nil {
		return tool.Ran{}, tool.Fail(tool.Overloaded, "The worker cannot start another program now; try again").Because(err)
	}
	defer streams.close()
	began := time.Now()
	run, release, err := r.start(ctx, job, &p, streams.theirs)
	streams.closeTheirs()
	if err != nil {
		return tool.Ran{}, tool.AsError(err)
	}
	defer release()
	flow.flood = run.kill
	streams.begin()
	status, cut, err := r.attend(ctx, run, p.Grace)
	streams.finish()
	ran := tool.Ran{Duration: time.Since(began)}
	ran.Stdout, ran.StdoutCut = out.taken()
	ran.Stderr, ran.StderrCut = errOut.taken()
	flow.mu.Lock()
	ran.Flooded = flow.flooded
	flow.mu.Unlock()
	ran.Code, ran.Signal = status.ExitStatus(), ""
	if status.Signaled() {
		ran.Signal = status.Signal().String()
	}
	if cut {
		return ran, tool.AsError(context.Cause(ctx))
	}
	if err != nil && ran.Flooded {
		ran.Code, ran.Signal, err = -1, syscall.SIGKILL.String(), nil
	}
	if err != nil {
		return tool.Ran{}, tool.AsError(err)
	}
	return ran, nil
}

// attend waits for the end of a run, and ends it when ctx ends; cut reports this.
func (r *runner) attend(ctx context.Context, run *running, grace time.Duration) (status syscall.WaitStatus, cut bool, err error) {
	over := make(chan struct{})
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		if grace > 0 {
			run.terminate()
			timer := time.NewTimer(grace)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-over:
			}
		}
		run.kill()
	})
	status, err = run.wait()
	close(over)
	if cut = !stop(); cut {
		<-ended
	}
	return status, cut, err
}

// job returns the checked job for p.
func (r *runner) job(p *tool.Program) (*launch.Job, error) {
	file, err := r.Find(p.Name)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(slices.Concat(p.Args, p.Env, []string{p.Dir}), func(s string) bool { return strings.ContainsRune(s, 0) }) {
		return nil, tool.Fail(tool.ValidationError, "An argument of a program cannot hold the character NUL")
	}
	if p.Dir != "" && !filepath.IsLocal(filepath.FromSlash(p.Dir)) {
		return nil, tool.Fail(tool.PathNotAllowed, "Access denied: path is outside the workspace")
	}
	dir := p.Dir
	if dir == "" {
		dir = "."
	}
	if err := scope.Way(dir, r.within...); err != nil {
		return nil, err
	}
	if p.Network && !scope.AnyHost(r.within...) {
		return nil, tool.Fail(tool.PermissionDenied,
			"Access denied: a program that uses the network cannot be held to the hosts of this call's scopes")
	}
	workspace, err := r.workspace()
	if p.Install != "" {
		workspace, err = r.installing(p.Install)
	}
	if err != nil {
		return nil, err
	}
	grants := r.grants
	if p.Install != "" || p.Apart {
		dir, grants = ".", []string{"."}
	}
	job := &launch.Job{
		File: file, Args: launch.Bytes(append([]string{p.Name}, p.Args...)),
		Workspace: workspace, Dir: dir, Grants: grants, ReadOnly: p.ReadOnly, System: r.system(),
		Program:  confine.Program{Memory: memory, FileSize: fileSize, OpenFiles: openFiles, Network: p.Network},
		Terminal: p.Terminal,
	}
	if p.Memory > 0 {
		job.Memory = uint64(max(p.Memory, leastMemory))
	}
	return job, nil
}

// workspace returns the directory of the user's files. Programs of other users must not
// be able to reach it.
func (r *runner) workspace() (string, error) {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return "", tool.Fail(tool.Internal, "The workspace cannot be opened").Because(err)
	}
	dir, err := filepath.EvalSymlinks(r.dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", tool.Fail(tool.Internal, "The workspace cannot be opened").Because(err)
	}
	if !r.programs.options.Unconfined && r.programs.readable(dir) {
		return "", tool.Fail(tool.NotConfigured, "The workspaces lie where every program may read; the operator of this worker sets data "+
			"(--data DIR) to a directory outside the system's")
	}
	return dir, nil
}

// environment returns the program's complete environment.
func (r *runner) environment(job *launch.Job, p *tool.Program, home, temp string) []string {
	env := []string{
		"PATH=" + strings.Join(r.path(), string(filepath.ListSeparator)),
		"HOME=" + home, "TMPDIR=" + temp, "LANG=C.UTF-8",
		// Git skips settings of the machine, which it could not read.
		"GIT_CONFIG_NOSYSTEM=1",
	}
	if filepath.Base(p.Name) == "git" {
		// Nor does it search a repository above the workspace. No other program needs
		// the host's path of the workspace.
		env = append(env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(job.Workspace))
	}
	if p.Terminal {
		env = append(env, "TERM=xterm-256color")
	}
	return lastOfEach(append(env, p.Env...))
}

// lastOfEach drops entries that a later entry of the same name replaces: programs would
// see the first.
func lastOfEach(env []string) []string {
	seen := map[string]bool{}
	var all []string
	for _, entry := range slices.Backward(env) {
		name, _, _ := strings.Cut(entry, "=")
		if !seen[name] {
			seen[name] = true
			all = append(all, entry)
		}
	}
	slices.Reverse(all)
	return all
}
