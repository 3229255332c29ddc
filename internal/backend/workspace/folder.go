package workspace

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Open opens a file for reading.
func (f *folder) Open(name string) (fs.File, error) {
	p, err := file(name)
	if err != nil {
		return nil, err
	}
	root, err := f.root()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// Without O_NONBLOCK, opening a pipe would wait for its other end.
	h, err := root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, failure("read", name, err)
	}
	o := &opened{file: h, name: name}
	info, err := o.Stat()
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		_ = h.Close() // nothing was read
		return nil, err
	}
	return o, nil
}

// opened hides the host's path from the errors of an open file.
type opened struct {
	file *os.File
	name string
}

func (o *opened) Read(p []byte) (int, error) {
	n, err := o.file.Read(p)
	if _, plain := errors.AsType[*fs.PathError](err); plain {
		err = failure("read", o.name, err)
	}
	return n, err
}

func (o *opened) Stat() (fs.FileInfo, error) {
	info, err := o.file.Stat()
	if err != nil {
		return nil, failure("read", o.name, err)
	}
	return info, nil
}

func (o *opened) Close() error {
	if err := o.file.Close(); err != nil {
		return failure("close", o.name, err)
	}
	return nil
}

// Stat describes a file or directory.
func (f *folder) Stat(name string) (fs.FileInfo, error) {
	var info fs.FileInfo
	err := f.at("read", name, local, func(root *os.Root, p string) (err error) {
		info, err = root.Stat(p)
		return err
	})
	return info, err
}

// ReadDir lists a directory, by name. An entry that is a link is not followed.
func (f *folder) ReadDir(name string) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	err := f.at("list", name, local, func(root *os.Root, p string) (err error) {
		entries, err = list(root, p)
		return err
	})
	return entries, err
}

func list(root *os.Root, p string) ([]fs.DirEntry, error) {
	dir, err := openDir(root, p)
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

// openDir opens a directory of the workspace as a root of its own. The dot at
// the end has the kernel asked for a directory, so that a pipe is refused and
// not waited for.
func openDir(root *os.Root, p string) (*os.Root, error) { return root.OpenRoot(p + "/.") }

// MkdirAll makes a directory and its parents.
func (f *folder) MkdirAll(name string) error {
	return f.at("make", name, local, func(root *os.Root, p string) error {
		return root.MkdirAll(p, 0o755)
	})
}

// Remove removes a file, a link or an empty directory.
func (f *folder) Remove(name string) error {
	return f.at("remove", name, below, func(root *os.Root, p string) error {
		err := root.Remove(p)
		if !errors.Is(err, syscall.ENOTEMPTY) {
			return err
		}
		// What a crash left behind shows in no listing and must not keep a
		// directory alive; listing sweeps it.
		if entries, listErr := list(root, p); listErr != nil || len(entries) > 0 {
			return err
		}
		return root.Remove(p)
	})
}

// Rename moves a file or directory. A file at the new place is replaced.
func (f *folder) Rename(from, to string) error {
	target, err := below(to)
	if err != nil {
		return err
	}
	return f.at("move", from, below, func(root *os.Root, p string) error {
		if _, err := root.Lstat(p); err != nil {
			return err
		}
		if err := root.Rename(p, target); err != nil {
			return failure("move to", to, err)
		}
		return nil
	})
}

// at runs do on the checked path in the open workspace and explains its error.
func (f *folder) at(verb, name string, check func(string) (string, error), do func(root *os.Root, p string) error) error {
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
