package docker

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
)

func TestClearSetID(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a/b"), 0o700); err != nil {
		t.Fatal(err)
	}
	modes := map[string]fs.FileMode{
		outside:                          0o755 | fs.ModeSetuid,
		filepath.Join(dir, "plain"):      0o640,
		filepath.Join(dir, "user"):       0o755 | fs.ModeSetuid,
		filepath.Join(dir, "a/group"):    0o755 | fs.ModeSetgid,
		filepath.Join(dir, "a/b/both"):   0o111 | setID,
		filepath.Join(dir, "a/b/sticky"): 0o700 | fs.ModeSticky,
	}
	for path, mode := range modes {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := clearSetID(dir); err != nil {
		t.Fatal(err)
	}
	for path, mode := range modes {
		want := mode &^ setID
		if path == outside {
			want = mode
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

// TestGenuineSetID: what a container makes in the workspace runs as nobody else.
func TestGenuineSetID(t *testing.T) {
	dir := dockertest.Workspace(t)
	containers, d := genuine(t, Options{User: dockertest.User(), Dir: func(string, string) (string, error) { return dir, nil }})
	c := shell("cp /bin/true mine && chmod 6755 mine && stat -c %a mine")
	c.Workspace = true
	ran, err := containers.Run(t.Context(), c)
	if err != nil || string(ran.Stdout) != "6755\n" {
		t.Fatalf("ran %q, %q, %v, want a file with the mode 6755", ran.Stdout, ran.Stderr, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "mine")); err != nil || info.Mode() != 0o755 {
		t.Errorf("the file is %v, %v, want -rwxr-xr-x", info.Mode(), err)
	}
	wantNoneLeft(t, d)
}
