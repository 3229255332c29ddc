package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/helve-dev/helve/internal/policy/scope"
)

// Rename moves a file or directory. It replaces a file at the destination.
func (f *folder) Rename(from, to string) error {
	return f.move(from, to, func(root *os.Root, source, target string, info fs.FileInfo) error {
		rename := func() error { return root.Rename(source, target) }
		old, err := root.Lstat(target)
		if err != nil || info.IsDir() || os.SameFile(info, old) {
			return rename()
		}
		dir, err := root.OpenRoot(path.Dir(target) + "/.")
		if err != nil {
			return err
		}
		defer dir.Close()
		parent, err := f.key(root, path.Dir(to), path.Dir(target))
		if err != nil {
			return err
		}
		return f.overwrite(dir, path.Base(target), path.Join(parent, path.Base(target)), rename)
	})
}

// Move is Rename without replacing anything.
func (f *folder) Move(from, to string) error {
	return f.move(from, to, func(root *os.Root, source, target string, info fs.FileInfo) error {
		switch _, err := root.Lstat(target); {
		case err == nil:
			return taken(to)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case info.IsDir():
			// A file created at the destination at this very moment is not lost: a
			// directory can only replace an empty one.
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
		if info.IsDir() && !f.fits(root, p, maxLevels-strings.Count(target, "/")) {
			return tooDeep()
		}
		if err := do(root, p, target, info); err != nil {
			return failure("move to", to, err)
		}
		f.log.moved(p, target)
		return nil
	})
}

// fits reports whether a directory has at most so many levels, itself included. Moved below
// each other, directories would be deeper than any path.
func (f *folder) fits(root *os.Root, p string, levels int) bool {
	if levels <= 0 {
		return false
	}
	dir, err := f.openDir(root, p)
	if err != nil {
		return true // the move fails, or its contents cannot be reached by any path
	}
	defer dir.Close()
	names, err := namesIn(dir)
	if err != nil {
		return true
	}
	for _, name := range names {
		info, err := dir.Lstat(name)
		if err == nil && info.IsDir() && !f.fits(dir, name, levels-1) || levels == 1 {
			return false
		}
	}
	return true
}

// linkOrRename gives a file another name, unless the name exists; errors use name.
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

// unlinkable detects a file system that supports one name per file, or refuses a second
// name for this one.
func unlinkable(err error) bool {
	return slices.ContainsFunc([]error{syscall.EPERM, syscall.ENOTSUP, syscall.ENOSYS, syscall.EMLINK}, func(e error) bool {
		return errors.Is(err, e)
	})
}
