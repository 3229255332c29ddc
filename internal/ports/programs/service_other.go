//go:build !linux

package programs

import (
	"context"
	"os/exec"
	"syscall"
)

// start starts the program in a group of its own.
func (s *Service) start(context.Context) error {
	cmd := &exec.Cmd{
		Path: s.File, Args: s.Args, Env: s.Env, Dir: s.Dir, Stdin: s.Stdin, Stdout: s.Stdout, Stderr: s.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	group := -cmd.Process.Pid
	s.kill = func() { _ = syscall.Kill(group, syscall.SIGKILL) }
	go func() {
		err := cmd.Wait()
		s.kill()
		s.finish(err)
	}()
	return nil
}
