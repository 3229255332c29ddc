package bench

import (
	"os"
	"syscall"
	"testing"

	"github.com/helve-dev/helve/internal/childtest"
)

// helve plays the processes of the benchmarks. The test binary would do it slowly:
// with the race detector, each takes as long to start as it then has to do.
var helve = childtest.Program("cmd/helve")

// quick returns options that measure next to nothing, and a function that
// fails the test if fewer than that many processes were started, or if one of
// them or a file is left.
func quick(t *testing.T) (opts Options, gone func(started int)) {
	t.Helper()
	program, err := helve()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var pids []int
	opts = Options{
		Node: []string{program, "bench-node"}, Time: 100e6, Rounds: 1, Callers: []int{1, 4}, Log: t.Output(),
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
