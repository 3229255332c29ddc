// Package programstest gives tests a launcher for the programs that tools run.
package programstest

import (
	"testing"

	"github.com/helve-dev/helve/internal/backend/programs/launch"
	"github.com/helve-dev/helve/internal/childtest"
)

// Launcher returns what belongs into programs.Options as Launcher: one that is
// built once for each test binary.
func Launcher(t testing.TB) []string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return []string{path, launch.Argument}
}

var build = childtest.Program("internal/backend/programs/programstest/launcher")
