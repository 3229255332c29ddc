//go:build linux

package programs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
)

// TestWorkspaceInSharedMemory: the workspace may lie where a program has shared memory
// of its own otherwise.
func TestWorkspaceInSharedMemory(t *testing.T) {
	memory, err := os.MkdirTemp("/dev/shm", "h") //nolint:usetesting // it must lie there
	if err != nil {
		t.Skipf("NO SHARED MEMORY HERE: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(memory) }) // it is gone with the machine, too
	// Those that work elsewhere: [everySpace] would skip a set that fails here.
	t.Setenv("TMPDIR", "/tmp")
	names := programs.Spaces(t, options(t, programs.Options{}, t.TempDir()))
	t.Setenv("TMPDIR", memory)
	for _, space := range names {
		t.Run(strings.ReplaceAll(space, " ", "_"), func(t *testing.T) { // with a directory of its own
			port, dir := openIn(t, space, programs.Options{})
			put(t, filepath.Join(dir, "a"), "text")
			if got := says(t, port, "cat a; echo x > b; cat b"); got != "textx" {
				t.Errorf("a program there says %q, want textx", got)
			}
		})
	}
}
