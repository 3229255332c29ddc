//go:build linux

package confine

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAttempts tries every operation of testprog under both profiles: as a script, from
// a thread that existed before the process was confined and from a later thread, and as
// a program. Some operations are also tried in an unconfined process, where they
// succeed.
func TestAttempts(t *testing.T) {
	entries, err := list()
	if err != nil || len(entries) < 100 {
		t.Fatalf("testprog list = %d attempts, %v, want 100 or more", len(entries), err)
	}
	for _, a := range entries {
		for _, when := range []string{"before", "after"} {
			t.Run(a.name+"/"+when, func(t *testing.T) {
				t.Parallel()
				c := startChild(t, "attempt", a.name, when)
				got, ended := c.line(), c.end()
				if got == "" {
					got = signalName(ended)
				}
				if got != a.script {
					t.Errorf("%s = %q (%v, %s), want %s", a.name, got, ended, &c.stderr, a.script)
				}
				if explained := Explain(ended); (explained != "") != (a.script == "SIGSYS") {
					t.Errorf("Explain(%v) = %q", ended, explained)
				}
			})
		}
		t.Run(a.name+"/program", func(t *testing.T) {
			t.Parallel()
			if a.program == "-" {
				return
			}
			c := startChild(t, "program", a.name)
			if got := c.line(); got != a.program {
				t.Errorf("%s by a program = %q (%v, %s), want %s", a.name, got, c.end(), &c.stderr, a.program)
			}
			c.end()
		})
		if a.free {
			t.Run(a.name+"/free", func(t *testing.T) {
				t.Parallel()
				c := startChild(t, "free", a.name)
				if got := c.line(); got != "success" {
					t.Errorf("%s in a free process = %q, want success: the attempt proves nothing", a.name, got)
				}
				c.end()
			})
		}
	}
}

// entry is a line of testprog's list.
type entry struct {
	name, script, program string
	free                  bool
}

func list() (entries []entry, err error) {
	out, err := exec.Command(testprog, "list").Output()
	for line := range strings.Lines(string(out)) {
		var e entry
		if _, err := fmt.Sscan(line, &e.name, &e.script, &e.program, &e.free); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, err
}

// signalName is the name of the signal that ended a process, or "".
func signalName(s *os.ProcessState) string {
	if status := s.Sys().(syscall.WaitStatus); status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}

// TestWork has a locked-down process do for a while what a busy Go program does.
func TestWork(t *testing.T) {
	t.Parallel()
	c := startChild(t, "work")
	message := strings.Repeat("to and fro ", 50_000)
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(c.socket, message)
		sent <- err
	}()
	back := make([]byte, len(message))
	_, err := io.ReadFull(c.socket, back)
	if err != nil || string(back) != message || <-sent != nil {
		t.Errorf("the echo of %d bytes is not what was sent: %v", len(message), err)
	}
	c.socket.Close()
	if ended := c.end(); !ended.Success() {
		t.Errorf("work: %v, %s", ended, &c.stderr)
	}
}

// TestReport looks at a locked-down process from inside and outside.
func TestReport(t *testing.T) {
	t.Parallel()
	c := startChild(t, "report")
	fds := strings.Fields(c.line())
	if len(fds) != 5 || fds[0] != "fds" || fds[1] != "2" || fds[2] != "3" {
		t.Errorf("open descriptors: %q, want 2, 3 and the runtime's two", fds)
	}
	limits := strings.Fields(c.line())
	if len(limits) != 6 || strings.Join(limits[:5], " ") != "limits 10 0 0 0" {
		t.Errorf("limits of CPU, core, file size, descriptors, memory: %q", limits)
	}
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(c.cmd.Process.Pid) + "/task/*/status")
	if len(tasks) < 3 {
		t.Errorf("the process has %d threads, want some: they are what is looked at", len(tasks))
	}
	owner, err := os.Stat("/proc/" + strconv.Itoa(c.cmd.Process.Pid) + "/environ")
	if err != nil || owner.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Errorf("the process's files in /proc are not root's (%v): its user can trace it", err)
	}
	want := locked
	if os.Geteuid() == 0 {
		want = append([]string{"Uid:\t65534\t65534\t65534\t65534", "Gid:\t65534\t65534\t65534\t65534", "Groups:\t "}, want...)
	}
	for _, task := range tasks {
		status, err := os.ReadFile(task)
		for _, line := range want {
			if !strings.Contains(string(status), line+"\n") {
				t.Errorf("%s lacks %q (%v)", task, line, err)
			}
		}
	}
	c.socket.Close()
	c.end()
}

// TestLess leaves alone what is limited more than it has to be.
func TestLess(t *testing.T) {
	t.Parallel()
	c := startChild(t, "less")
	c.line()
	if limits := c.line(); !strings.HasPrefix(limits, "limits 5 0 0 0 ") {
		t.Errorf("limits of a process that had less: %q, want CPU 5", limits)
	}
	c.socket.Close()
	c.end()
}

func TestMemory(t *testing.T) {
	t.Parallel()
	c := startChild(t, "memory")
	got, ended := c.line(), c.end()
	if got != "" || ended.ExitCode() != 2 || !strings.Contains(c.stderr.String(), "out of memory") {
		t.Errorf("a process beyond its memory: %q, %v, %.200s; want exit status 2 and out of memory", got, ended, &c.stderr)
	}
}

func TestCPU(t *testing.T) {
	t.Parallel()
	c := startChild(t, "cpu")
	ended := c.end()
	if status := ended.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL || Explain(ended) != "" {
		t.Errorf("a process beyond its CPU time: %v, want killed", ended)
	}
}

// TestParentEnds: the process ends when its parent ends.
func TestParentEnds(t *testing.T) {
	t.Parallel()
	c := startChild(t, "parent")
	if got := c.line(); got != "locked" {
		t.Fatalf("the child of a child says %q, want locked", got)
	}
	c.stdin.Close()
	c.end()
	if rest, err := io.ReadAll(c.socket); err != nil || len(rest) != 0 {
		t.Errorf("the socket of an orphan: %q, %v, want its end", rest, err)
	}
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		o    Script
		want string
	}{
		{"no memory", Script{CPUSeconds: 1, Keep: []int{3}}, "AddressSpace"},
		{"no CPU time", Script{AddressSpace: 1, Keep: []int{3}}, "CPUSeconds"},
	} {
		if err := Apply(tt.o); err == nil || !strings.HasPrefix(err.Error(), "cannot be locked down: ") ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("Apply with %s = %v, want an error about %s", tt.name, err, tt.want)
		}
	}
}

// TestKeep refuses to keep what could be more than a way to talk.
func TestKeep(t *testing.T) {
	t.Parallel()
	for _, fd := range []string{"0", "2", "4", "5", "77", "-1"} {
		c := startChild(t, "keep", fd)
		if got := c.line(); !strings.Contains(got, "descriptor "+fd+" is no pipe or socket to keep") {
			t.Errorf("Apply with Keep %s = %q, want it refused", fd, got)
		}
		c.end()
	}
}
