package confine

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Files is a Landlock ruleset: the parts of the file system that stay accessible.
type Files struct {
	fd      int
	handled uint64
	version int
	err     error
}

// Rights are the allowed operations on files and everything below directories.
type Rights uint64

// The available rights. Only some of them apply to a single file; Add omits the others,
// which apply to directories.
const (
	ReadFiles Rights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	Read      Rights = ReadFiles | unix.LANDLOCK_ACCESS_FS_READ_DIR
	Device    Rights = ReadFiles | writeFile | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// Use allows everything except creating and controlling devices.
	Use Rights = ^Rights(unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)

	writeFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	onFiles   = Device
)

// Allow grants rights on a host path, if it can be opened.
func (f *Files) Allow(path string, rights Rights) { _ = f.allow(path, rights) }

// need grants rights on a path that must exist.
func (f *Files) need(path string, rights Rights) {
	if err := f.allow(path, rights); err != nil {
		f.Fail(fmt.Errorf("%s: %w", path, err))
	}
}

func (f *Files) allow(path string, rights Rights) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = unix.Close(fd) }()
	f.Add(fd, rights)
	return nil
}

// Add grants rights on the file or directory of the descriptor fd.
func (f *Files) Add(fd int, rights Rights) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		f.Fail(err)
		return
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= onFiles
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: uint64(rights) & f.handled, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(f.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		f.Fail(fmt.Errorf("landlock_add_rule: %w", errno))
	}
}

// Fail makes the restriction fail with err, in addition to earlier errors.
func (f *Files) Fail(err error) { f.err = errors.Join(f.err, err) }

func (f *Files) close() { _ = unix.Close(f.fd) }
