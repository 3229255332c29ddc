// Package childtest builds programs that tests start as children.
//
// A test binary is unsuitable as its own child: with the race detector it maps more
// than a confined process may, and takes a tenth of a second to start and to exit. In a
// test that starts hundreds of children, that is most of its time.
package childtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Built names the environment variable of a directory with programs that were built
// before, each under the last element of its package. It is for a test binary whose user
// cannot build.
const Built = "CHILDTEST_BUILT"

// Program returns a function that builds the program of a package of this module at the
// first call, and returns its path. The path is valid as long as the test binary runs
// and leaves no file behind, because it refers to a descriptor.
func Program(pkg string) func() (path string, err error) { return program(pkg, "0") }

// ProgramWithCgo is [Program] for a program that is linked with cgo. It fails with
// [exec.ErrNotFound] if there is no gcc.
func ProgramWithCgo(pkg string) func() (path string, err error) { return program(pkg, "1") }

func program(pkg, cgo string) func() (path string, err error) {
	built := sync.OnceValues(func() (*os.File, error) {
		if cgo == "1" {
			if _, err := exec.LookPath("gcc"); err != nil {
				return nil, err
			}
		}
		return build(pkg, cgo)
	})
	return func() (string, error) {
		program, err := built()
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("/proc/self/fd/%d", program.Fd()), nil
	}
}

func build(pkg, cgo string) (*os.File, error) {
	if dir := os.Getenv(Built); dir != "" {
		return os.OpenInRoot(dir, filepath.Base(pkg))
	}
	dir, err := os.MkdirTemp("", "childtest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "child")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", path, "github.com/helve-dev/helve/"+pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return os.Open(path)
}
