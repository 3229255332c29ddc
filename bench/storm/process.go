package storm

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// process is one of the programs under test.
type process struct {
	role  string
	cmd   *exec.Cmd
	stdin io.Closer
	ended chan struct{}
	ready map[string]string // words key=value of its first line
}

// startTimeout limits the time until the ready line, stopTimeout a clean end.
const (
	startTimeout = time.Minute
	stopTimeout  = 20 * time.Second
)

// launch starts a program and returns when it is ready. Its log is appended to the file
// called log.
func launch(ctx context.Context, role string, argv, env []string, attr *syscall.SysProcAttr, log string) (*process, error) {
	errs, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer errs.Close()
	p := &process{role: role, cmd: exec.Command(argv[0], argv[1:]...), ended: make(chan struct{}), ready: map[string]string{}}
	p.cmd.Env, p.cmd.Stderr, p.cmd.SysProcAttr = env, errs, attr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil { // some end when it is closed
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the %s: %w", role, err)
	}
	first := make(chan string, 1)
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			select {
			case first <- lines.Text():
			default:
			}
		}
		_ = p.cmd.Wait() // most are killed
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout,
		fmt.Errorf("the %s was not ready within %v; its log is %s", role, startTimeout, log))
	defer cancel()
	select {
	case line := <-first:
		for word := range strings.FieldsSeq(line) {
			key, value, _ := strings.Cut(word, "=")
			p.ready[key] = value
		}
		return p, nil
	case <-p.ended:
		return nil, fmt.Errorf("the %s ended before it was ready: %s", role, tail(log))
	case <-ctx.Done():
		p.kill()
		<-p.ended
		return nil, context.Cause(ctx)
	}
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) } // it may be gone

func (p *process) kill() { p.signal(syscall.SIGKILL) }

// end asks the process to end and kills it if it does not.
func (p *process) end() {
	p.signal(syscall.SIGCONT)
	p.signal(syscall.SIGTERM)
	timer := time.AfterFunc(stopTimeout, p.kill)
	defer timer.Stop()
	_ = p.stdin.Close()
	<-p.ended
}

func tail(file string) string {
	const most = 1000
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-most):]))
}
