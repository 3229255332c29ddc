//go:build linux

package programs_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// TestMain makes of this binary, beside the tests, a launcher, the hostile program
// that the tests run, and a worker that is killed.
func TestMain(m *testing.M) {
	programs.Child()
	if len(os.Args) > 2 && os.Args[1] == "attempt" {
		unix.Exit(attempt(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		unix.Exit(work(os.Args[2], os.Args[3:]))
	}
	testtime.SlowPackage("it confines processes")
	goleak.VerifyTestMain(m)
}
