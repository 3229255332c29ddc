package workspace

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// newFile is the mode of a created file.
const newFile = 0o644

// Write replaces the file with the contents of data. It returns an error of data
// unchanged.
func (f *folder) Write(name string, data io.Reader) (int64, error) {
	return f.put(name, newFile, data)
}

// put is Write with the mode for a created file.
func (f *folder) put(name string, mode fs.FileMode, data io.Reader) (int64, error) {
	return f.write(name, data, func(root *os.Root, p string, in *meter) (int64, error) {
		place, err := f.find(root, name, p)
		if err != nil {
			return 0, err
		}
		defer place.parent.Close()
		key, err := f.key(root, name, place.path)
		if err != nil {
			return 0, err
		}
		if place.old != nil {
			mode = place.old.Mode().Perm()
		}
		if err := in.replacing(place.old); err != nil {
			return 0, err
		}
		return place.fill(in, mode, func(temp string) error { return f.replace(&place, temp, key) })
	})
}

// Create writes a file that does not exist yet.
func (f *folder) Create(name string, mode fs.FileMode, data io.Reader) (int64, error) {
	return f.write(name, data, func(root *os.Root, p string, in *meter) (int64, error) {
		parent, err := f.openDir(root, path.Dir(p))
		if err != nil {
			return 0, err
		}
		defer parent.Close()
		place := place{parent: parent, base: path.Base(p)}
		if _, err := parent.Lstat(place.base); err == nil {
			return 0, taken(name)
		}
		if err := in.replacing(nil); err != nil {
			return 0, err
		}
		return place.fill(in, mode.Perm(), func(temp string) error { return linkOrRename(parent, temp, place.base, name) })
	})
}

// write calls put with the place that name means, and data.
func (f *folder) write(name string, data io.Reader, put func(root *os.Root, p string, in *meter) (int64, error)) (n int64, err error) {
	in := &source{r: data}
	err = f.at("write to", name, f.within(file, scope.Path), func(root *os.Root, p string) (err error) {
		metered := &meter{r: in, folder: f}
		done := false
		defer func() { metered.settle(done) }() // also if data panics
		n, err = put(root, p, metered)
		done = err == nil
		return err
	})
	switch {
	case in.err != nil:
		return 0, in.err
	case err != nil:
		return 0, err
	}
	f.log.wrote(name)
	return n, nil
}

// Append adds data to the end of the file.
func (f *folder) Append(name string, data []byte) error {
	err := f.at("write to", name, f.within(file, scope.Path), func(root *os.Root, p string) error {
		more := amount{bytes: int64(len(data))}
		if _, err := root.Lstat(p); errors.Is(err, fs.ErrNotExist) {
			more.files = 1
		}
		metered := &meter{folder: f}
		err := metered.take(more)
		if err == nil {
			err = f.appendTo(root, name, p, data)
		}
		metered.settle(err == nil)
		return err
	})
	if err == nil {
		f.log.wrote(name)
	}
	return err
}

func (f *folder) appendTo(root *os.Root, name, p string, data []byte) error {
	if err := f.noLink(root, p); err != nil {
		return err
	}
	h, err := root.OpenFile(p, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return err
	}
	info, err := h.Stat()
	if err == nil {
		err = writable(name, info)
	}
	if err == nil {
		err = f.unlinked(root, p, info)
	}
	n := 0
	if err == nil {
		n, err = h.Write(data)
	}
	err = errors.Join(err, h.Close())
	if err != nil && 0 < n && n < len(data) {
		return tool.Fail(tool.ExecutionError, "Only %d of %d bytes were appended to %s: the disk is full or failed.",
			n, len(data), name).Because(err)
	}
	return err
}

// place is the destination of a write: a name in an open directory, which stays the
// same directory whatever is renamed meanwhile.
type place struct {
	parent *os.Root
	base   string
	path   string      // of both, in the directory that was searched
	old    fs.FileInfo // nil if there is no file yet
}

// maxLinks limits the consecutive links at the end of a path.
const maxLinks = 40

// find returns the place of the file that p names. A link at the end is followed, so
// that the file changes and the link stays.
func (f *folder) find(root *os.Root, name, p string) (place, error) {
	for range maxLinks {
		dir, base := path.Split("./" + p)
		if base == "" || base == "." || base == ".." {
			return place{}, directory(name)
		}
		parent, err := f.openDir(root, strings.TrimSuffix(dir, "/"))
		if err != nil {
			return place{}, err
		}
		info, err := parent.Lstat(base)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return place{parent, base, p, nil}, nil
		case err == nil && info.Mode().Type() == fs.ModeSymlink:
			// Dots in the link are left to os.Root, which knows the location of dir.
			p, err = parent.Readlink(base)
			switch {
			case f.limited():
				err = linked()
			case path.IsAbs(p):
				err = outside()
			}
			p = dir + p
		case err == nil:
			if err = writable(name, info); err == nil {
				return place{parent, base, p, info}, nil
			}
		}
		if err = errors.Join(err, parent.Close()); err != nil {
			return place{}, err
		}
	}
	return place{}, syscall.ELOOP
}

// writable refuses everything but files, and files without write permission: replacing
// a file or being root would bypass its mode.
func writable(name string, info fs.FileInfo) error {
	if err := regular(name, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fs.ErrPermission
	}
	return nil
}

// fill writes data beside the place and calls publish to rename the complete file. If
// anything ends it early, a panic of data included, it removes the partial file.
func (pl *place) fill(data io.Reader, mode fs.FileMode, publish func(temp string) error) (int64, error) {
	temp := tempPrefix + rand.Text()
	out, err := pl.parent.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFile)
	if err != nil {
		return 0, err
	}
	done := false
	defer func() {
		if !done {
			_ = out.Close() // may be closed already; the partial file is removed anyway
			_ = pl.parent.Remove(temp)
		}
	}()
	if mode != newFile || pl.old != nil {
		if err := out.Chmod(mode); err != nil {
			return 0, err
		}
	}
	n, err := io.Copy(out, data)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(out.Sync(), out.Close()); err != nil {
		return 0, err
	}
	if err := publish(temp); err != nil {
		return 0, err
	}
	done = true
	return n, nil
}

// abandoned is the age from which an unfinished file cannot have a writer any more: no
// call runs that long.
const abandoned = 24 * time.Hour

// sweep removes an unfinished file whose writer must have died.
func sweep(dir *os.Root, info fs.FileInfo) {
	if time.Since(info.ModTime()) > abandoned {
		_ = dir.Remove(info.Name()) // the next listing tries again
	}
}

// source remembers the error of the reader, to distinguish it from an error of the
// disk.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}
