// Package programs runs programs of the machine in the workspace of a call.
package programs

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/helve-dev/helve/tool"
)

// Options are what the port stands on.
type Options struct {
	// Dir is the workspace of a tenant's user on this machine, made if need be.
	Dir func(tenant, user string) (string, error)
	// Path is where programs are looked for, as PATH; the worker's own if empty.
	Path string
}

// Programs runs programs. It is safe for concurrent use.
type Programs struct{ options Options }

// New returns the port's backend.
func New(o Options) *Programs {
	if o.Path == "" {
		o.Path = os.Getenv("PATH")
	}
	return &Programs{o}
}

// For returns the programs of a user, which reach no further than the scopes.
func (p *Programs) For(tenant, user string, _ ...tool.Scopes) (tool.Programs, error) {
	dir, err := p.options.Dir(tenant, user)
	if err != nil {
		return nil, err
	}
	return &runner{p.options, dir}, nil
}

type runner struct {
	options Options
	dir     string
}

// Find implements [tool.Programs].
func (r *runner) Find(name string) (string, error) {
	for _, dir := range filepath.SplitList(r.options.Path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && filepath.IsAbs(dir) && !strings.Contains(name, "/") && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", tool.Fail(tool.NotConfigured, "The program '%s' is not installed on this worker", name)
}

// Run implements [tool.Programs].
func (r *runner) Run(ctx context.Context, p tool.Program) (tool.Ran, error) {
	file, err := r.Find(p.Name)
	if err != nil {
		return tool.Ran{}, err
	}
	if !filepath.IsLocal(filepath.FromSlash(p.Dir)) && p.Dir != "" {
		return tool.Ran{}, tool.Fail(tool.PathNotAllowed, "Access denied: path is outside the workspace")
	}
	home, err := os.MkdirTemp("", "helve-home-")
	if err != nil {
		return tool.Ran{}, err
	}
	defer os.RemoveAll(home)
	cmd := exec.CommandContext(ctx, file, p.Args...) //nolint:gosec // what runs is the caller's decision
	cmd.Dir = filepath.Join(r.dir, filepath.FromSlash(p.Dir))
	cmd.Env = append([]string{"PATH=" + r.options.Path, "HOME=" + home, "TMPDIR=" + home, "LANG=C.UTF-8"}, p.Env...)
	cmd.Stdin = p.Stdin
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !p.Terminal, Setsid: p.Terminal, Setctty: p.Terminal}
	cmd.Cancel = func() error {
		if p.Grace > 0 {
			return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		}
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	cmd.WaitDelay = max(p.Grace, 100*time.Millisecond)
	out, errOut := newSink(p, cmd), newSink(p, cmd)
	began := time.Now()
	if p.Terminal {
		err = runOnTerminal(cmd, out)
	} else {
		cmd.Stdout, cmd.Stderr = out, errOut
		err = cmd.Run()
	}
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	}
	if ctx.Err() != nil {
		return tool.Ran{}, context.Cause(ctx)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return tool.Ran{}, tool.Fail(tool.ExecutionError, "The program '%s' could not be run", p.Name).Because(err)
	}
	ran := tool.Ran{
		Code: cmd.ProcessState.ExitCode(), Stdout: out.kept, Stderr: errOut.kept, StdoutCut: out.cut, StderrCut: errOut.cut,
		Flooded: out.flooded || errOut.flooded, Duration: time.Since(began),
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		ran.Signal = status.Signal().String()
	}
	return ran, nil
}

func runOnTerminal(cmd *exec.Cmd, out *sink) error {
	tty, err := pty.StartWithAttrs(cmd, &pty.Winsize{Rows: 40, Cols: 120}, cmd.SysProcAttr)
	if err != nil {
		return err
	}
	defer tty.Close()
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 32<<10)
		for {
			n, err := tty.Read(buf) // ends with EIO when the last of them has gone
			_, _ = out.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	<-read
	return err
}
