package upstream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// inherited are the only variables of the worker that a child gets.
var inherited = []string{"PATH", "HOME", "LANG"}

// child is a server in a process started by the worker.
type child struct {
	service *programs.Service
	in, out *os.File // ours
}

// start starts a server. Its standard error goes into the log.
func (s *Server) start(ctx context.Context, log *zap.Logger) (*child, error) {
	file, err := exec.LookPath(s.Command)
	if err != nil {
		return nil, fmt.Errorf("the command %s is not installed for the worker", s.Command)
	}
	theirIn, in, err1 := os.Pipe()
	out, theirOut, err2 := os.Pipe()
	logs, theirErr, err3 := os.Pipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		for _, f := range []*os.File{theirIn, in, out, theirOut, logs, theirErr} {
			f.Close() // nil is allowed
		}
		return nil, err
	}
	dir := s.Dir
	if dir == "" {
		dir = "/"
	}
	c := &child{in: in, out: out, service: &programs.Service{
		File: file, Args: append([]string{s.Command}, s.Args...), Env: s.environment(), Dir: dir,
		Stdin: theirIn, Stdout: theirOut, Stderr: theirErr,
	}}
	if err := c.service.Start(ctx); err != nil {
		in.Close()
		out.Close()
		logs.Close()
		return nil, err
	}
	gopool.Go(func() { tell(logs, log) }, nil)
	return c, nil
}

func (s *Server) environment() []string {
	var env []string
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok && s.Env[name] == "" {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range s.Env {
		env = append(env, name+"="+value)
	}
	return env
}

// endTime is the time after which an ended server must be gone.
const endTime = 10 * time.Second

// end ends the server and waits until all its processes are gone. First it closes the
// server's input, as the protocol requires, and gives it time to exit. It returns the
// exit error, if any.
func (c *child) end(patience time.Duration) error {
	c.in.Close()
	defer c.out.Close()
	if wait(c.service.Ended(), patience) {
		return c.service.How()
	}
	c.service.Kill()
	wait(c.service.Ended(), endTime)
	return nil
}

func wait(done <-chan struct{}, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// Bounds of a server's standard error in the log.
const (
	maxLogLine = 2 << 10
	logAtOnce  = 50
	logPerSec  = 5
)

// tell logs lines until EOF; beyond the bounds it counts them.
func tell(from io.ReadCloser, log *zap.Logger) {
	defer from.Close()
	limit := rate.NewLimiter(logPerSec, logAtOnce)
	in := bufio.NewReaderSize(from, maxLogLine)
	left := 0
	for {
		text, more, err := in.ReadLine()
		if err != nil {
			return
		}
		if !limit.Allow() {
			left++
		} else {
			log.Info("mcp server wrote to stderr", zap.String("line", foreign.Text(string(text), maxLogLine)), zap.Int("left_out", left))
			left = 0
		}
		for more && err == nil { // the rest of a line that is too long
			_, more, err = in.ReadLine()
		}
	}
}
