package programs

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPrivateIsRemoved(t *testing.T) {
	t.Parallel()
	scratch := t.TempDir()
	p, err := makePrivate(scratch)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(string(p), "home", "a", "b")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(scratch, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0); err != nil {
			t.Fatal(err)
		}
	}
	p.remove()
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := makePrivate(filepath.Join(scratch, "none")); err == nil {
		t.Error("a directory was made nowhere")
	}
}
