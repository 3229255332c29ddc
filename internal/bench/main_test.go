package bench

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestMain lets the test binary play the processes of the benchmarks it runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "bench-node" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		code := Node(ctx, os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
		stop()
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// quick returns options that measure next to nothing, and a function that
// fails the test if fewer than that many processes were started, or if one of
// them or a file is left.
func quick(t *testing.T) (opts Options, gone func(started int)) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	// With the race detector each process would stay for a second after its end.
	t.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	var pids []int
	opts = Options{
		Node: []string{self, "bench-node"}, Time: 100e6, Rounds: 1, Callers: []int{1, 4}, Log: t.Output(),
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
