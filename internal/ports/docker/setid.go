package docker

import (
	"errors"
	"io/fs"
	"os"
)

const setID = fs.ModeSetuid | fs.ModeSetgid

// clearSetID removes the setuid and setgid bits from the files of a workspace. They
// have no effect in a container, but the files stay and belong to the worker's user.
// The kernel could refuse to create such files, if the engine accepted an additional
// filter of system calls.
func clearSetID(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil // removed meanwhile, or inaccessible even to its owner: its contents cannot be run
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || info.Mode()&setID == 0 {
			return err
		}
		return root.Chmod(path, info.Mode()&^setID)
	})
}
