package workspace

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestErase: the files of a user and their earlier versions are gone, those of others stay,
// and the workspace can be used again.
func TestErase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	write := func(user string) {
		t.Helper()
		files, err := w.For("acme", user)
		for range 2 {
			if err == nil {
				_, err = files.Write("x.txt", strings.NewReader(user))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func(user string) (n int) {
		t.Helper()
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.Contains(path, user) {
				n++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	write("ann")
	write("annabel")
	all := count("ann")
	if err := w.Erase("acme", "ann"); err != nil {
		t.Fatal(err)
	}
	if left := count("ann"); left != all/2 || count("annabel") != left {
		t.Errorf("%d files are left of %d, want those of the other user", left, all)
	}
	if err := w.Erase("acme", "ann"); err != nil {
		t.Errorf("again: %v", err)
	}
	if err := w.Erase("acme", ".."); err == nil {
		t.Error("a directory that is no user's was removed")
	}
	write("ann")
}
