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

	"github.com/helve-dev/helve/internal/scope"
	"github.com/helve-dev/helve/tool"
)

// newFile is the mode of a file that is made.
const newFile = 0o644

// Write replaces the file with what data yields. An error of data is returned
// as it is.
func (f *folder) Write(name string, data io.Reader) (int64, error) {
	return f.write(name, data, func(root *os.Root, p string, in io.Reader) (int64, error) {
		place, err := f.find(root, name, p)
		if err != nil {
			return 0, err
		}
		defer place.parent.Close()
		mode := fs.FileMode(newFile)
		if place.old != nil {
			mode = place.old.Mode().Perm()
		}
		return place.fill(in, mode, func(temp string) error { return place.parent.Rename(temp, place.base) })
	})
}

// Create writes a file that is not there yet.
func (f *folder) Create(name string, mode fs.FileMode, data io.Reader) (int64, error) {
	return f.write(name, data, func(root *os.Root, p string, in io.Reader) (int64, error) {
		parent, err := f.openDir(root, path.Dir(p))
		if err != nil {
			return 0, err
		}
		defer parent.Close()
		place := place{parent: parent, base: path.Base(p)}
		if _, err := parent.Lstat(place.base); err == nil {
			return 0, taken(name)
		}
		return place.fill(in, mode.Perm(), func(temp string) error { return linkOrRename(parent, temp, place.base, name) })
	})
}

// write runs put on the place that name means, with data.
func (f *folder) write(name string, data io.Reader, put func(root *os.Root, p string, in io.Reader) (int64, error)) (n int64, err error) {
	in := &source{r: data}
	err = f.at("write to", name, f.within(file, scope.Path), func(root *os.Root, p string) (err error) {
		n, err = put(root, p, in)
		return err
	})
	switch {
	case in.err != nil:
		return 0, in.err
	case err != nil:
		return 0, err
	}
	return n, nil
}

// Append adds data to the end of the file.
func (f *folder) Append(name string, data []byte) error {
	return f.at("write to", name, f.within(file, scope.Path), func(root *os.Root, p string) error {
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
			return tool.Fail(tool.ExecutionError, "Only %d of %d bytes were appended to %s: the disk is full or failed.", n, len(data), name).Because(err)
		}
		return err
	})
}

// place is where a write goes: a name in an open directory, which stays the
// same directory whatever is renamed meanwhile.
type place struct {
	parent *os.Root
	base   string
	old    fs.FileInfo // nil if there is no file yet
}

// maxLinks is how many links in a row a path may end in.
const maxLinks = 40

// find returns the place of the file that p names. A link at the end is
// followed, so that the file changes and the link stays.
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
			return place{parent, base, nil}, nil
		case err == nil && info.Mode().Type() == fs.ModeSymlink:
			// Dots in the link are left to os.Root, which knows where dir is.
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
				return place{parent, base, info}, nil
			}
		}
		if err = errors.Join(err, parent.Close()); err != nil {
			return place{}, err
		}
	}
	return place{}, syscall.ELOOP
}

// writable refuses what is not a file, and a file nobody may write: replacing
// it or being root would get round its mode.
func writable(name string, info fs.FileInfo) error {
	if err := regular(name, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fs.ErrPermission
	}
	return nil
}

// fill writes data beside the place and has publish give it the name when it is
// whole. Whatever ends it early, a panic of data included, removes the part.
func (pl *place) fill(data io.Reader, mode fs.FileMode, publish func(temp string) error) (int64, error) {
	temp := tempPrefix + rand.Text()
	out, err := pl.parent.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFile)
	if err != nil {
		return 0, err
	}
	done := false
	defer func() {
		if !done {
			_ = out.Close() // may be closed already; the part is removed anyhow
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

// abandoned is the age at which an unfinished file has no writer any more: no
// call runs that long.
const abandoned = 24 * time.Hour

// sweep removes an unfinished file whose writer must have died.
func sweep(dir *os.Root, info fs.FileInfo) {
	if time.Since(info.ModTime()) > abandoned {
		_ = dir.Remove(info.Name()) // the next listing tries again
	}
}

// source remembers the error of the reader, to tell it from one of the disk.
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
