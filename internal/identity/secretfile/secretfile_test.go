package secretfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const ours, foreign = 2000, 3000
	for _, tt := range []struct {
		mode fs.FileMode
		gid  int
		ok   bool
	}{
		{0o600, foreign, true},
		{0o400, foreign, true},
		{0o440, ours, true}, // as a Secret of Kubernetes with fsGroup is
		{0o640, ours, true},
		{0o440, foreign, false},
		{0o620, foreign, false},
		{0o444, ours, false},
		{0o602, ours, false},
	} {
		err := check(tt.mode, tt.gid, []int{1, ours})
		if (err == nil) != tt.ok {
			t.Errorf("check(%04o, group %d) = %v, want it accepted: %v", tt.mode, tt.gid, err, tt.ok)
		}
		if err != nil && !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("check(%04o) = %v, want what to do", tt.mode, err)
		}
	}
}

// TestLikeAMountedSecret: a mount of Kubernetes is a link to a file below ..data, which
// is a link to a directory, readable by a group of the process.
func TestLikeAMountedSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "..2026"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "..2026", "secret"), []byte("x"), 0o440); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..2026", filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..data", "secret"), filepath.Join(dir, "secret")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(info); err != nil {
		t.Errorf("Check = %v, want a mounted secret accepted", err)
	}
	if err := os.Chmod(filepath.Join(dir, "..2026", "secret"), 0o444); err != nil {
		t.Fatal(err)
	}
	if info, err = os.Stat(filepath.Join(dir, "secret")); err != nil {
		t.Fatal(err)
	}
	if err := Check(info); err == nil && runtime.GOOS != "windows" {
		t.Error("a secret that everybody can read is accepted")
	}
}
