package sandbox_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/sandboxtest"
	"github.com/helve-dev/helve/tool"
)

// ends waits until the process has ended.
func ends(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // or there was none
	}
	defer unix.Close(fd)
	const patience = 5 * time.Second
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patience.Milliseconds()))
		if n > 0 || err != unix.EINTR {
			break
		}
	}
	if stat := statOf(fmt.Sprint(pid)); len(stat) > 0 && stat[0] != "Z" {
		t.Errorf("process %d lives on: %v", pid, stat)
	}
}

// statOf returns the kernel's status fields of a process, from its state on.
func statOf(pid string) []string {
	text, _ := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// processes returns the processes whose field of their stat, counted from the state, is
// pid.
func processes(t *testing.T, field, pid int) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			if stat := statOf(e.Name()); len(stat) > field && stat[field] == fmt.Sprint(pid) {
				found = append(found, n)
			}
		}
	}
	return found
}

const (
	parentField = 1
	groupField  = 2
)

func TestNoChildOutlivesItsWorker(t *testing.T) {
	t.Parallel()
	worker := exec.Command(sandboxtest.Path(t), "worker")
	worker.Stderr = os.Stderr
	out, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	children := processes(t, parentField, worker.Process.Pid)
	if err := worker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = worker.Wait()
	if len(children) < 3 {
		t.Errorf("the worker had the children %v, want three that run", children)
	}
	for _, pid := range children {
		ends(t, pid)
	}
}

// If a child closed its pipe and the run still lasted until its wall limit, a process
// started by the child held the pipe.
func TestForkedProcessesEndWithTheChild(t *testing.T) {
	t.Parallel()
	p := liars(t, "forks", sandbox.Options{Slots: 1})
	pids := p.Pids()
	_, err := p.Run(t.Context(), sandbox.Job{Limits: sandbox.Limits{Wall: 300 * time.Millisecond}})
	wants(t, err, tool.Timeout, "within")
	for _, pid := range pids {
		for _, member := range processes(t, groupField, pid) {
			ends(t, member)
		}
	}
}

// The kernel ends a child when the thread that forked it ends.
func TestChildrenSurviveThreads(t *testing.T) {
	t.Parallel()
	const many = 8
	p := newPool(t, sandbox.Options{Slots: many})
	run := func() {
		var work sync.WaitGroup
		for i := range many {
			work.Go(func() {
				if v, err := p.Run(t.Context(), sandbox.Job{Tenant: fmt.Sprint(i), Code: "return 1"}); err != nil || string(v) != "1" {
					t.Errorf("Run = %s, %v", v, err)
				}
			})
		}
		work.Wait()
	}
	run()
	before := p.Pids()
	for range 5 {
		churnThreads()
		run()
	}
	after := p.Pids()
	for _, pid := range before {
		if !slices.Contains(after, pid) {
			t.Errorf("child %d ended with a thread", pid)
		}
	}
}

// churnThreads locks as many goroutines to a thread permanently as are needed to use every
// old thread, and ends them.
func churnThreads() {
	const many = 50
	var locked, threads sync.WaitGroup
	locked.Add(many)
	for range many {
		threads.Go(func() {
			runtime.LockOSThread()
			locked.Done()
			locked.Wait()
		})
	}
	threads.Wait()
	runtime.GC()
}

func TestCloseEndsAll(t *testing.T) {
	t.Parallel()
	var killed kills
	p, err := sandbox.New(sandbox.Options{Program: sandboxtest.Program(t), Slots: 3, Killed: killed.add})
	if err != nil {
		t.Fatal(err)
	}
	running := make(ready)
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run(t.Context(), sandbox.Job{Tenant: "a", Code: "await utils.callTool('x', {}); while (true);", Host: running})
		ended <- err
	}()
	<-running
	if _, err := p.Run(t.Context(), sandbox.Job{Tenant: "b", Code: "return 1"}); err != nil {
		t.Error(err)
	}
	pids := p.Pids()
	p.Close()
	wants(t, <-ended, tool.Overloaded, "closing")
	if len(pids) < 2 || len(p.Pids()) != 0 {
		t.Errorf("there were %v, and after Close %v", pids, p.Pids())
	}
	for _, pid := range pids {
		if stat := statOf(fmt.Sprint(pid)); len(stat) > 0 && stat[parentField] == fmt.Sprint(os.Getpid()) {
			t.Errorf("after Close child %d is still there: %v", pid, stat)
		}
	}
	_, err = p.Run(t.Context(), sandbox.Job{Code: "return 1"})
	wants(t, err, tool.Overloaded, "try again")
	if idle, busy := p.Stats(); idle != 0 || busy != 0 {
		t.Errorf("after Close Stats = %d, %d", idle, busy)
	}
	if got := killed.take(); len(got) != 0 {
		t.Errorf("Close counts as kills: %v", got)
	}
}

// TestChildrenStayInTheSession: the kernel may group processes by session, and then the
// niceness of a child in another session would have no effect on this process.
func TestChildrenStayInTheSession(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	own, err := unix.Getsid(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range p.Pids() {
		session, err := unix.Getsid(pid)
		group, groupErr := unix.Getpgid(pid)
		if err != nil || groupErr != nil || session != own || group != pid {
			t.Errorf("child %d is in session %d and group %d (%v, %v), want %d and its own", pid, session, group, err, groupErr, own)
		}
	}
}
