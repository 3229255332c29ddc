package programs

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// private is a directory for one run: its home and temporary files.
type private string

func makePrivate(scratch string) (private, error) {
	dir, err := os.MkdirTemp(scratch, "helve-run-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	for _, name := range []string{"home", "tmp", "shm", "root", "empty"} {
		if err == nil {
			err = os.Mkdir(filepath.Join(dir, name), 0o700)
		}
	}
	if err != nil && dir != "" {
		private(dir).remove()
	}
	return private(dir), err
}

// empty is a directory for runs without a workspace.
func (p private) empty() string { return filepath.Join(string(p), "empty") }

// remove removes it, whatever the program has done to it. It waits only a moment.
func (p private) remove() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.RemoveAll(string(p)) == nil {
			return
		}
		// The contents of a directory without permissions cannot be removed.
		_ = filepath.WalkDir(string(p), func(path string, d fs.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(path, 0o700) //nolint:gosec // a directory, and to be removed
			}
			return nil
		})
		_ = os.RemoveAll(string(p))
	}()
	select {
	case <-done:
	case <-time.After(patience):
	}
}
