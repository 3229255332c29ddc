package embedded

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// TestUnlockedWhileForked: a child between fork and exec has copies of all descriptors.
func TestUnlockedWhileForked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unlock, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	held := descriptor(t, filepath.Join(dir, "lock"))
	forked, err := syscall.Dup(held)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(forked)
	if _, err := lock(dir); err == nil {
		t.Fatal("it was locked twice")
	}
	unlock()
	again, err := lock(dir)
	if err != nil {
		t.Fatalf("it stayed locked: %v", err)
	}
	again()
}

// descriptor returns that of this process which has the file open.
func descriptor(t *testing.T, path string) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		if at, err := os.Readlink("/proc/self/fd/" + fd.Name()); err != nil || at != path {
			continue
		}
		n, err := strconv.Atoi(fd.Name())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	t.Fatalf("nothing has %s open", path)
	return 0
}
