package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs/launch"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
)

// TestChildrenComeEarly: a child of the sandbox, and a launcher, begin before the tools and
// most else of the binary are set up.
func TestChildrenComeEarly(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const begins, late = "init runtime ", "init github.com/helve-dev/helve/internal/tools/"
	for _, role := range []string{child.Argument, launch.Argument} {
		cmd := exec.CommandContext(t.Context(), self, role)
		cmd.Env = []string{"GODEBUG=inittrace=1"}
		trace, err := cmd.CombinedOutput()
		switch said := string(trace); {
		case err == nil || !strings.Contains(said, "only a worker starts this"):
			t.Errorf("%s alone = %v, said %s", role, err, said)
		case !strings.Contains(said, begins):
			t.Errorf("%s left no trace of what was set up: %s", role, said)
		case strings.Contains(said, late):
			t.Errorf("%s began when the tools were set up", role)
		}
	}
}
