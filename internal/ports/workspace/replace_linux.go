package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// exchange swaps the names of two files of a directory atomically.
func exchange(dir *os.Root, a, b string) error {
	return rename(dir, a, dir, b, unix.RENAME_EXCHANGE)
}

// settleNew gives a file of a directory another name, unless that name exists.
func settleNew(dir *os.Root, from, to string) error {
	return rename(dir, from, dir, to, unix.RENAME_NOREPLACE)
}

// carry moves a file from one directory to another.
func carry(from *os.Root, name string, to *os.Root, as string) error {
	return rename(from, name, to, as, unix.RENAME_NOREPLACE)
}

// rename renames within open directories. Names contain no slash, so no link is
// followed.
func rename(from *os.Root, name string, to *os.Root, as string, flags uint) error {
	a, err := from.Open(".")
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := to.Open(".")
	if err != nil {
		return err
	}
	defer b.Close()
	for {
		err = unix.Renameat2(int(a.Fd()), name, int(b.Fd()), as, flags)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
			return errors.ErrUnsupported // an old kernel, or a file system such as NFS
		case err != nil:
			return &os.LinkError{Op: "rename", Old: name, New: as, Err: err}
		}
		return nil
	}
}

// links returns how many names a file has.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // its type differs between machines
	}
	return 0
}
