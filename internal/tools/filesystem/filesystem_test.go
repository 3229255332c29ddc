package filesystem

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/backend/workspace"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// disk returns a workspace on disk that holds the given files.
func disk(t *testing.T, contents map[string]string) tool.Files {
	t.Helper()
	w, err := workspace.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.For("acme", "u1")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range contents {
		if _, err := files.Write(name, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func wantFile(t *testing.T, files tool.Files, name, want string) {
	t.Helper()
	f, err := files.Open(name)
	if err != nil {
		t.Errorf("Open(%s): %v", name, err)
		return
	}
	got, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v, want %q", name, got, err, want)
	}
}

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }
