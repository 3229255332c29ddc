package workspace

import (
	"errors"
	"os"
	"path"
	"time"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/policy/scope"
)

// Times returns when a file or directory was created and last read. For a link it
// returns nothing, since links are not followed.
func (f *folder) Times(name string) (created, accessed time.Time, err error) {
	var stat unix.Statx_t
	err = f.at("read", name, f.within(local, scope.Way), func(root *os.Root, p string) error {
		dir, err := f.openDir(root, path.Dir(p))
		if err != nil {
			return err
		}
		defer dir.Close()
		h, err := dir.Open(".")
		if err != nil {
			return err
		}
		defer h.Close()
		err = unix.Statx(int(h.Fd()), path.Base(p), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE|unix.STATX_ATIME|unix.STATX_BTIME, &stat)
		if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
			return nil // an old kernel or a strict sandbox: the times are unknown
		}
		return err
	})
	if err == nil && stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		err = f.whole(name)
	}
	if err != nil || stat.Mode&unix.S_IFMT == unix.S_IFLNK {
		return time.Time{}, time.Time{}, err
	}
	return moment(&stat, unix.STATX_BTIME, stat.Btime), moment(&stat, unix.STATX_ATIME, stat.Atime), nil
}

func moment(stat *unix.Statx_t, kind uint32, t unix.StatxTimestamp) time.Time {
	if stat.Mask&kind == 0 {
		return time.Time{}
	}
	return time.Unix(t.Sec, int64(t.Nsec))
}
