package helperbin

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// trusted refuses a program that others than this user and root may have written.
func trusted(f *os.File) error {
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", f.Name())
	}
	if stat.Mode&0o022 != 0 {
		return fmt.Errorf("%s can be written by others than its owner; chmod go-w", f.Name())
	}
	return nil
}

// leastFD is above the descriptors that a child is given, which would take the place of
// a lower one before it is started.
const leastFD = 64

// hold keeps the file open for as long as this process lives, and returns the name under
// which it can be started.
func hold(f *os.File) (string, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, leastFD)
	if err != nil {
		return "", os.NewSyscallError("fcntl", err)
	}
	return fmt.Sprintf("/proc/self/fd/%d", fd), nil
}
