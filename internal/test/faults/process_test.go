package faults

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// patience bounds each wait of a test.
func patience() time.Duration { return testtime.Patience() }

// lookFirst and lookLast are the shortest and longest interval of polling. Polling costs
// time, too, which adds up in a dozen parallel tests: the longer the wait, the longer the
// interval.
const lookFirst, lookLast = 5 * time.Millisecond, 100 * time.Millisecond

// await polls until done returns true.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	end, pace := time.Now().Add(patience()), lookFirst
	for !done() {
		if time.Now().After(end) {
			t.Fatalf("waited %v in vain: %s", patience(), what)
		}
		<-time.After(pace)
		pace = min(pace*5/4, lookLast)
	}
}

// process is a program that runs as a child of the test.
type process struct {
	t      *testing.T
	name   string
	cmd    *exec.Cmd
	exited chan struct{}

	mu  sync.Mutex
	out bytes.Buffer
}

// spawn starts one of the programs. It is killed at the end of the test, and its output is
// shown if the test failed.
func spawn(t *testing.T, name, program string, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, name: name, exited: make(chan struct{})}
	p.cmd = exec.Command(filepath.Join(programs, program), args...)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait() // its exit is in ProcessState
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may have ended already
		<-p.exited
		if t.Failed() {
			t.Logf("%s wrote:\n%s", p.name, p.tail())
		}
	})
	return p
}

// Write implements [io.Writer] for the output of the process.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// tail returns the end of a long output.
func (p *process) tail() string {
	const most = 6000
	out := p.output()
	return out[max(0, len(out)-most):]
}

// line waits until the process has written a line with this beginning and returns the rest
// of it.
func (p *process) line(begin string) string {
	p.t.Helper()
	var rest string
	await(p.t, fmt.Sprintf("a line %q of %s", begin, p.name), func() bool {
		for l := range strings.Lines(p.output()) {
			if after, ok := strings.CutPrefix(l, begin); ok && strings.HasSuffix(l, "\n") {
				rest = strings.TrimSuffix(after, "\n")
				return true
			}
		}
		if p.gone() {
			p.t.Fatalf("%s ended (%v) without a line %q", p.name, p.cmd.ProcessState, begin)
		}
		return false
	})
	return rest
}

func (p *process) gone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

func (p *process) signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatalf("%v to %s: %v", sig, p.name, err)
	}
}

func (p *process) kill() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	p.awaitEnd()
}

func (p *process) awaitEnd() {
	p.t.Helper()
	await(p.t, "the end of "+p.name, p.gone)
}

// pause stops the process and returns when the kernel has stopped it.
func (p *process) pause() {
	p.t.Helper()
	p.signal(syscall.SIGSTOP)
	p.awaitStop()
}

func (p *process) awaitStop() {
	p.t.Helper()
	await(p.t, p.name+" stopped", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
		_, state, _ := strings.Cut(string(stat), ") ")
		return err == nil && strings.HasPrefix(state, "T")
	})
}

// drain asks the process to end and checks that it ends cleanly.
func (p *process) drain() {
	p.t.Helper()
	if p.gone() {
		return
	}
	p.signal(syscall.SIGTERM)
	p.awaitEnd()
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		p.t.Errorf("%s ended with %v after SIGTERM, want exit code 0", p.name, p.cmd.ProcessState)
	}
}
