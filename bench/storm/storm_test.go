package storm_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/helve-dev/helve/bench/storm"
	// The sources of the built programs, so that a change there invalidates the cached
	// outcome of these tests.
	_ "github.com/helve-dev/helve/internal/app/dispatcher"
	_ "github.com/helve-dev/helve/worker"
)

// programs is the directory of the binaries that TestMain builds.
var programs string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if testing.Short() || runtime.GOOS != "linux" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "helve-storm-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.Command("go", "build", "-tags", "failpoint", "-ldflags=-s", "-o", dir+string(filepath.Separator),
		"./cmd/dispatcher", "./cmd/worker", "./internal/test/faults/natsd")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Printf("build the programs: %v\n%s\n", err, out)
		return 1
	}
	programs = dir
	return m.Run()
}

// TestStorm is the short form of `helve-bench faults`: a mixed load while processes are
// killed, some two at the same time, stopped, and deprived of storage.
func TestStorm(t *testing.T) {
	t.Parallel()
	report := storming(t, storm.Options{Calls: 1500, Kills: 7, Callers: 16, Seed: 15})
	if report.Kills != 7 || report.Doubles == 0 || report.Servers == 0 || report.Stops == 0 || report.Full == 0 {
		t.Errorf("not every kind of fault was made: %+v", report)
	}
}

// TestStormOfNotes is the same with calls that act in the store of personal data: the
// stored notes are those of the calls that succeeded, each once.
func TestStormOfNotes(t *testing.T) {
	t.Parallel()
	report := storming(t, storm.Options{Calls: 600, Kills: 6, Callers: 16, Seed: 17, Notes: 80})
	if report.Kills != 6 || report.Outcomes["success"] < 300 {
		t.Errorf("the run is not that of a storm: %+v", report)
	}
}

// TestStormOnACluster is the same on three NATS servers with three copies of each stream,
// with the faults of a cluster: the leader of the queue and two servers are killed, one is
// cut off, and one has slow links.
func TestStormOnACluster(t *testing.T) {
	t.Parallel()
	report := storming(t, storm.Options{Nodes: 3, Calls: 400, Kills: 5, Callers: 16, Seed: 16})
	if report.Nodes != 3 || report.Kills != 3 || report.Links != 2 || report.Servers < 4 || report.Doubles == 0 || len(report.Recoveries) < 5 {
		t.Errorf("not every kind of fault was made: %+v", report)
	}
}

func storming(t *testing.T, o storm.Options) *storm.Report {
	t.Helper()
	if programs == "" {
		t.Skip("the storm needs Linux and no -short")
	}
	program := func(name string) string { return filepath.Join(programs, name) }
	o.Broker = func(addr, dir string, routes []string) []string {
		return []string{program("natsd"), "--addr", addr, "--dir", dir, "--routes", strings.Join(routes, ",")}
	}
	o.Dispatcher, o.Worker, o.Log = []string{program("dispatcher")}, []string{program("worker")}, t.Output()
	report, err := storm.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := report.Table(&table); err != nil {
		t.Fatal(err)
	}
	if report.Broken() > 0 {
		t.Errorf("promises were broken:\n%s", table.String())
	}
	t.Log(table.String())
	return report
}
