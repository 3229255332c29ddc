package bench

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/childtest"
)

// program plays the processes of the benchmarks. The test binary would do it slowly:
// with the race detector, each takes as long to start as it then has to do.
var program = childtest.Program("bench/cmd/helve-bench")

// longest is when a scenario of a test is given up, also on a machine that is ten times
// overloaded: its processes then end, and the error names what was waited for.
const longest = 4 * time.Minute

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), longest, fmt.Errorf("the scenario did not end within %v", longest))
	t.Cleanup(cancel)
	return ctx
}

// quick returns options that measure next to nothing, and a function that
// fails the test if fewer than that many processes were started, or if one of
// them or a file is left.
func quick(t *testing.T) (opts Options, gone func(started int)) {
	t.Helper()
	program, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var pids []int
	opts = Options{
		Node: []string{program, "node"}, Time: 100e6, Rounds: 1, Callers: []int{1, 4}, Log: t.Output(),
		started: func(pid int) { pids = append(pids, pid) },
	}
	return opts, func(started int) {
		t.Helper()
		if len(pids) < started {
			t.Errorf("%d processes were started, want at least %d", len(pids), started)
		}
		for _, pid := range pids {
			if err := syscall.Kill(pid, 0); err == nil {
				t.Errorf("process %d is left", pid)
			}
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left in the temporary directory: %v, error %v", left, err)
		}
	}
}
