//go:build linux

package confine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// testprog is the path of the program that is locked down.
var testprog string

// TestMain builds it: without cgo, whatever the tests themselves are built with.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if testprog = os.Getenv(programVariable); testprog != "" {
		return m.Run()
	}
	if testtime.SlowPackage("it builds programs and confines them") {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "lockdown")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // for a child that is nobody
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	testprog = filepath.Join(dir, "testprog")
	build := exec.Command("go", "build", "-o", testprog, "./testprog")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n%s", build, err, out)
		return 1
	}
	return m.Run()
}
