package programs

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/helve-dev/helve/internal/ports/programs/launch"
)

// start has a launcher start the program. The launcher ends with everything it started
// when the worker's end of their socket is closed.
func (s *Service) start(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ours, socket, err := socketpair()
	if err != nil {
		return err
	}
	defer socket.Close()
	cmd := &exec.Cmd{
		Path: self, Args: []string{"helve", launch.Argument}, Dir: "/",
		Env:   []string{"GOMAXPROCS=2", "GOGC=off", "GOTRACEBACK=none"},
		Stdin: s.Stdin, Stdout: s.Stdout, Stderr: s.Stderr, ExtraFiles: []*os.File{socket},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return err
	}
	job := &launch.Job{File: s.File, Args: launch.Bytes(s.Args), Env: launch.Bytes(s.Env), Dir: s.Dir, Free: true}
	l := &launched{cmd: cmd, conn: ours, job: job}
	s.kill = l.kill
	reports := json.NewDecoder(bufio.NewReader(ours))
	stop := context.AfterFunc(ctx, s.Kill)
	first, err := l.order(reports)
	stop()
	if err != nil || !first.Started {
		s.Kill()
		_ = cmd.Wait()
		ours.Close()
		return notStarted(first, err)
	}
	go func() {
		defer ours.Close()
		var last launch.Report
		err := reports.Decode(&last)
		_ = cmd.Wait()
		switch {
		case err != nil || !last.Ended:
			s.finish(fmt.Errorf("it was ended from outside"))
		case last.Status != 0:
			s.finish(statusError(last.Status))
		default:
			s.finish(nil)
		}
	}()
	return nil
}

// order sends a job to a launcher and returns whether the program runs.
func (l *launched) order(reports *json.Decoder) (first launch.Report, err error) {
	line, err := json.Marshal(l.job)
	if err == nil {
		_, err = l.conn.Write(append(line, '\n'))
	}
	if err == nil {
		err = reports.Decode(&first)
	}
	return first, err
}

func notStarted(r launch.Report, err error) error {
	switch {
	case r.Msg != "" && r.Detail != "":
		return fmt.Errorf("%s: %s", r.Msg, r.Detail)
	case r.Msg != "":
		return fmt.Errorf("%s", r.Msg)
	}
	return fmt.Errorf("the program could not be started; worker programs must call worker.Child first in main: %w", err)
}
