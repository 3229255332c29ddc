package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestCloseLeavesNoFileOpen closes a store on SQLite: nothing of its directory stays open.
func TestCloseLeavesNoFileOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: open files. They are listed in /proc of Linux")
	}
	dir := t.TempDir()
	open := func() (found []string) {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range all {
			if to, err := os.Readlink(filepath.Join("/proc/self/fd", fd.Name())); err == nil && strings.HasPrefix(to, dir) {
				found = append(found, to)
			}
		}
		return found
	}
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(open()) == 0 {
		t.Fatal("an open store has no file open")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left := open(); len(left) > 0 {
		t.Errorf("a closed store has files open: %q", left)
	}
}
