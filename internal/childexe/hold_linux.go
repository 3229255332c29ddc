package childexe

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

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
