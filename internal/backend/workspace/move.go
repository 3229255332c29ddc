package workspace

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/helve-dev/helve/internal/scope"
)

// Rename moves a file or directory. A file at the new place is replaced.
func (f *folder) Rename(from, to string) error {
	return f.move(from, to, func(root *os.Root, source, target string, _ fs.FileInfo) error {
		return root.Rename(source, target)
	})
}

// Move is Rename that replaces nothing.
func (f *folder) Move(from, to string) error {
	return f.move(from, to, func(root *os.Root, source, target string, info fs.FileInfo) error {
		switch _, err := root.Lstat(target); {
		case err == nil:
			return taken(to)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case info.IsDir():
			// What may be made there in this very moment is not lost: a directory
			// takes the place of an empty one only.
			return root.Rename(source, target)
		}
		return linkOrRename(root, source, target, to)
	})
}

func (f *folder) move(from, to string, do func(root *os.Root, source, target string, info fs.FileInfo) error) error {
	target, err := f.within(below, scope.Path)(to)
	if err != nil {
		return err
	}
	return f.run("move", from, f.within(below, scope.Path), func(root *os.Root, p string) error {
		if err := f.movable(root, p, target); err != nil {
			return err
		}
		info, err := root.Lstat(p)
		if err != nil {
			return err
		}
		if err := do(root, p, target, info); err != nil {
			return failure("move to", to, err)
		}
		return nil
	})
}

// linkOrRename gives a file another name, which errors call name, unless
// something bears it.
func linkOrRename(root *os.Root, from, to, name string) error {
	err := root.Link(from, to)
	switch {
	case errors.Is(err, fs.ErrExist):
		return taken(name)
	case err == nil:
		if err := root.Remove(from); err != nil {
			return errors.Join(err, root.Remove(to))
		}
		return nil
	case !unlinkable(err):
		return err
	}
	if _, err := root.Lstat(to); err == nil {
		return taken(name)
	}
	return root.Rename(from, to)
}

// unlinkable tells a file system that keeps one name for a file, or does not
// give this one another.
func unlinkable(err error) bool {
	return slices.ContainsFunc([]error{syscall.EPERM, syscall.ENOTSUP, syscall.ENOSYS, syscall.EMLINK}, func(e error) bool { return errors.Is(err, e) })
}
