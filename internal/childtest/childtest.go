// Package childtest builds programs that tests start as children.
//
// A test binary is a bad child of its own: with the race detector it is built with
// cgo, whose threads a locked-down process cannot start, and takes a tenth of a second
// to begin and to end. Where a test starts hundreds, that is most of its time.
package childtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Program returns a function that builds the program of a package of this module the
// first time it is called, and returns its path: one that holds as long as the test
// binary runs and leaves no file behind, because it is that of a descriptor.
func Program(pkg string) func() (path string, err error) {
	built := sync.OnceValues(func() (*os.File, error) { return build(pkg) })
	return func() (string, error) {
		program, err := built()
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("/proc/self/fd/%d", program.Fd()), nil
	}
}

func build(pkg string) (*os.File, error) {
	dir, err := os.MkdirTemp("", "childtest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "child")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", path, "github.com/helve-dev/helve/"+pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return os.Open(path)
}
