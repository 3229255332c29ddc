package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/helve-dev/helve/internal/policy/scope"
)

// Open opens a file for reading.
func (f *folder) Open(name string) (fs.File, error) {
	var o *opened
	err := f.at("read", name, f.within(file, scope.Path), func(root *os.Root, p string) (err error) {
		o, err = f.openFile(root, p, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// openFile opens the file p of root, which errors call name.
func (f *folder) openFile(root *os.Root, p, name string) (*opened, error) {
	if err := f.noLink(root, p); err != nil {
		return nil, err
	}
	// Without O_NONBLOCK, opening a pipe would wait for its other end.
	h, err := root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := h.Stat()
	if err == nil {
		err = regular(name, info)
	}
	if err == nil {
		err = f.unlinked(root, p, info)
	}
	if err != nil {
		_ = h.Close() // nothing was read
		return nil, err
	}
	return &opened{file: h, name: name}, nil
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

// Seek implements [io.Seeker].
func (o *opened) Seek(offset int64, whence int) (int64, error) {
	n, err := o.file.Seek(offset, whence)
	if err != nil {
		return n, failure("read", o.name, err)
	}
	return n, nil
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
