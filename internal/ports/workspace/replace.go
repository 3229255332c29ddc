package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// replace gives the finished file temp the name of the place and keeps the previous
// file as a version of the file key. If the system can exchange two files, each of
// several writers keeps what it replaced itself.
func (f *folder) replace(pl *place, temp, key string) error {
	for range maxLinks {
		err := exchange(pl.parent, temp, pl.base)
		switch {
		case err == nil:
			return f.retire(pl, temp, key)
		case errors.Is(err, errors.ErrUnsupported):
			return f.overwrite(pl.parent, pl.base, key, func() error { return pl.parent.Rename(temp, pl.base) })
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if err = settleNew(pl.parent, temp, pl.base); !errors.Is(err, fs.ErrExist) {
			return err // nil if the file is new
		}
	}
	return pl.parent.Rename(temp, pl.base)
}

// retire keeps the file that replace has exchanged for the new one, or reverts the
// exchange if that fails.
func (f *folder) retire(pl *place, old, key string) error {
	info, err := pl.parent.Lstat(old)
	switch {
	case err == nil && info.IsDir(): // it was created after the place was found
		err = syscall.EISDIR
	case err == nil && info.Mode().IsRegular() && f.usage.limits.keeps(info.Size()):
		err = f.keep(pl.parent, old, key, info)
	case err == nil:
		err = pl.parent.Remove(old)
	}
	if err != nil {
		return errors.Join(err, exchange(pl.parent, old, pl.base))
	}
	return nil
}

// keep moves a file of a directory to the earlier versions of the file key.
func (f *folder) keep(from *os.Root, name, key string, info fs.FileInfo) error {
	s, err := f.openVersions(true)
	if err != nil {
		return err
	}
	defer s.close()
	return s.put(from, name, key, info)
}

// overwrite copies the file base of a directory to the earlier versions of the file key
// and calls do, which replaces it.
func (f *folder) overwrite(dir *os.Root, base, key string, do func() error) error {
	info, err := dir.Lstat(base)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return do()
	}
	if err != nil {
		return err
	}
	if !f.usage.limits.keeps(info.Size()) {
		err := do()
		if err == nil {
			f.usage.free(amount{info.Size(), 1})
		}
		return err
	}
	s, err := f.openVersions(true)
	if err != nil {
		return err
	}
	defer s.close()
	as := fresh(key)
	if err := s.copy(dir, base, as); err != nil {
		return err
	}
	if err := do(); err != nil {
		return errors.Join(err, s.root.Remove(as))
	}
	s.settle(key, info.Size())
	return nil
}

// key returns the path under which the versions of a file are kept: that of the file
// itself, whatever links led to it. A limited workspace allows no links.
func (f *folder) key(root *os.Root, name, p string) (string, error) {
	if f.limited() {
		return path.Clean(name), nil
	}
	return canonical(root, p)
}

// canonical resolves the links in p, as far as p exists.
func canonical(root *os.Root, p string) (string, error) {
	done, links := ".", 0
	for rest := strings.Split(p, "/"); len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			if done == "." {
				return "", outside()
			}
			done = path.Dir(done)
			continue
		}
		at := path.Join(done, name)
		info, err := root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().Type() != fs.ModeSymlink:
			done = at
			continue
		case err != nil:
			return "", err
		}
		target, err := root.Readlink(at)
		if err != nil {
			return "", err
		}
		if links++; path.IsAbs(target) || links > maxLinks {
			return "", outside()
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return done, nil
}
