package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/test/testtime"
	// The sources of the built programs, so that a change there invalidates the cached
	// outcome of these tests.
	_ "github.com/helve-dev/helve/internal/app/dispatcher"
	_ "github.com/helve-dev/helve/worker"
)

// programs is the directory of the binaries that TestMain builds.
var programs string

// atOnce is the number of parallel tests. Each has about six processes, which wait more than they
// compute; with more tests they wait for each other, beyond what a process waits for an answer.
const atOnce = 6

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if testtime.SlowPackage("it kills processes of whole systems") {
		return m.Run()
	}
	if runtime.GOOS != "linux" {
		fmt.Println("skipped: the fault tests need Linux")
		return 0
	}
	if err := queuetest.SideBySide(atOnce); err != nil {
		fmt.Println(err)
		return 1
	}
	dir, err := os.MkdirTemp("", "helve-faults-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := build(dir); err != nil {
		fmt.Println(err)
		return 1
	}
	programs = dir
	return m.Run()
}

// build builds the programs as they are released, with failpoints and without debug data,
// which would double the time to link.
func build(dir string) error {
	cmd := exec.Command("go", "build", "-tags", "failpoint", "-ldflags=-s", "-o", dir+string(filepath.Separator),
		"./cmd/dispatcher", "./cmd/worker", "./internal/test/faults/natsd")
	cmd.Dir = filepath.Join("..", "..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return nil
}
