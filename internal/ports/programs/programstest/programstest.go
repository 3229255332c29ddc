// Package programstest provides tests with a launcher for the programs that tools run.
package programstest

import (
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs/launch"
	"github.com/helve-dev/helve/internal/test/childtest"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// Launcher returns the value of Launcher in programs.Options: a launcher that is built
// once for each test binary. With -short it skips the test.
func Launcher(t testing.TB) []string {
	t.Helper()
	testtime.Slow(t, "it builds a launcher and runs programs")
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return []string{path, launch.Argument}
}

var build = childtest.Program("internal/ports/programs/programstest/launcher")
