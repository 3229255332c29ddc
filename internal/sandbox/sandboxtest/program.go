// Package sandboxtest gives tests of other packages a child to run scripts in.
//
// The program under test cannot be its own child there: with the race detector
// it is built with cgo, whose threads a locked-down process cannot start.
package sandboxtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/sandbox"
)

// Program returns what belongs into [sandbox.Options] as Program: a child that
// is built once for each test binary.
func Program(t testing.TB) []string {
	t.Helper()
	return []string{Path(t), sandbox.Argument}
}

// Path is the program alone. Its arguments say what kind of child it is.
func Path(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// build leaves no file behind: the program is run through a descriptor, which
// stays open as long as the test binary runs.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "sandboxtest")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "testchild")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, "github.com/helve-dev/helve/internal/sandbox/testchild")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the child: %w\n%s", err, out)
	}
	program, err = os.Open(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("/proc/self/fd/%d", program.Fd()), nil
})

// program holds the descriptor.
var program *os.File

// Build is [Path] for a TestMain.
func Build() (string, error) { return build() }
