package desktop

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/helve-dev/helve/tool"
)

// find searches a program in the absolute directories of the PATH.
func (d *Desktop) find(name string) (string, bool) {
	if filepath.IsAbs(name) {
		return name, executable(name)
	}
	if strings.Contains(name, "/") {
		return "", false
	}
	for _, dir := range filepath.SplitList(d.session["PATH"]) {
		if file := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(file) {
			return file, true
		}
	}
	return "", false
}

func executable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// command returns a command for a program in a session of its own, so that no signal to
// the worker's session reaches it, and without standard streams.
func (d *Desktop) command(file string, args ...string) *exec.Cmd {
	cmd := exec.Command(file, args...) //nolint:noctx // it may outlive the call
	cmd.Env = d.env
	cmd.Dir = d.session["HOME"]
	if !filepath.IsAbs(cmd.Dir) {
		cmd.Dir = "/"
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// finish starts a program and waits for it, at most until the call ends.
func finish(ctx context.Context, cmd *exec.Cmd) error {
	// A program that continues in the background may hold the pipe of its input.
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer stop()
	err := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil
	}
	return err
}

// settle is the time within which a program that is opened may fail.
const settle = 1500 * time.Millisecond

// open starts a program for the person and leaves it running. An early failure is an
// error; a program that runs, or has passed on its work, was opened.
func (d *Desktop) open(ctx context.Context, what string, cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return tool.Fail(tool.ExecutionError, "%s could not be started; see that it works on this machine", what).Because(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // waits for its whole life, so that no zombie remains
	timer := time.NewTimer(settle)
	defer timer.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return tool.Fail(tool.ExecutionError, "%s ended with an error as soon as it was opened; see that it works on this machine",
				what).Because(err)
		}
	case <-timer.C:
	case <-ctx.Done(): // it was opened, even if no goroutine waits for it
	}
	return nil
}

// capped keeps the beginning of the output and refuses the rest. It is not a
// bytes.Buffer, whose ReadFrom has no limit.
type capped struct {
	kept []byte
	most int
}

// Write implements [io.Writer].
func (c *capped) Write(p []byte) (int, error) {
	fits := min(len(p), c.most-len(c.kept))
	c.kept = append(c.kept, p[:fits]...)
	if fits < len(p) {
		return fits, io.ErrShortWrite
	}
	return fits, nil
}
