package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/policy/scope"
)

// Stat describes a file or directory.
func (f *folder) Stat(name string) (fs.FileInfo, error) {
	return f.describe(name, func(root *os.Root, p string) (fs.FileInfo, error) {
		if !f.limited() {
			return root.Stat(p)
		}
		if err := f.noLink(root, p); err != nil {
			return nil, err
		}
		return root.Lstat(p)
	})
}

// Lstat describes a file, a directory or a link.
func (f *folder) Lstat(name string) (fs.FileInfo, error) {
	return f.describe(name, (*os.Root).Lstat)
}

func (f *folder) describe(name string, stat func(root *os.Root, p string) (fs.FileInfo, error)) (fs.FileInfo, error) {
	var info fs.FileInfo
	err := f.at("read", name, f.within(local, scope.Way), func(root *os.Root, p string) (err error) {
		info, err = stat(root, p)
		return err
	})
	if err == nil && !info.IsDir() {
		err = f.whole(name)
	}
	if err != nil {
		return nil, err
	}
	return info, nil
}

// ReadDir lists a directory, by name. An entry that is a link is not followed.
func (f *folder) ReadDir(name string) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	err := f.at("list", name, f.within(local, scope.Way), func(root *os.Root, p string) (err error) {
		entries, err = f.list(root, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f.visible(name, entries), nil
}

func (f *folder) list(root *os.Root, p string) ([]fs.DirEntry, error) {
	dir, err := f.openDir(root, p)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	h, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := h.Readdirnames(-1)
	if err = errors.Join(err, h.Close()); err != nil {
		return nil, err
	}
	slices.Sort(names)
	var entries []fs.DirEntry
	for _, name := range names {
		info, err := dir.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone since it was listed
		case err != nil:
			return nil, err
		case strings.HasPrefix(name, tempPrefix):
			sweep(dir, info)
		default:
			entries = append(entries, fs.FileInfoToDirEntry(info))
		}
	}
	return entries, nil
}

// openDir opens a directory of the workspace as a root of its own. The dot at the end
// makes the kernel require a directory, so that a pipe is refused and not waited for.
func (f *folder) openDir(root *os.Root, p string) (*os.Root, error) {
	if err := f.noLink(root, p); err != nil {
		return nil, err
	}
	dir, err := root.OpenRoot(p + "/.")
	if err != nil || !f.limited() {
		return dir, err
	}
	info, err := dir.Stat(".")
	if err == nil {
		err = f.unlinked(root, p, info)
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// MkdirAll makes a directory and its parents.
func (f *folder) MkdirAll(name string) error {
	return f.run("make", name, f.within(local, scope.Way), func(root *os.Root, p string) error {
		metered := &meter{folder: f}
		if n := absent(root, p); n > 0 {
			if err := metered.take(amount{files: n}); err != nil {
				return err
			}
		}
		err := f.mkdirAll(root, p)
		metered.settle(err == nil)
		return err
	})
}

func (f *folder) mkdirAll(root *os.Root, p string) error {
	if !f.limited() {
		return root.MkdirAll(p, 0o755)
	}
	dir, err := f.enter(root, p, true)
	if err != nil {
		return err
	}
	return dir.Close()
}

// at is run for an operation on one path. In a limited workspace do gets the directory
// of the path, and the path's last name.
func (f *folder) at(verb, name string, check pathCheck, do func(root *os.Root, p string) error) error {
	return f.run(verb, name, check, func(root *os.Root, p string) error {
		if !f.limited() {
			return do(root, p)
		}
		dir, err := f.enter(root, path.Dir(p), false)
		if err != nil {
			return err
		}
		defer dir.Close()
		return do(dir, path.Base(p))
	})
}

// run calls do with the checked path in the open workspace and explains its error.
func (f *folder) run(verb, name string, check pathCheck, do func(root *os.Root, p string) error) error {
	p, err := check(name)
	if err != nil {
		return err
	}
	root, err := f.root()
	if err != nil {
		return err
	}
	defer root.Close()
	if err := do(root, p); err != nil {
		return failure(verb, name, err)
	}
	return nil
}
