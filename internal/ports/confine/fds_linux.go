package confine

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// closeOthers closes every descriptor except standard error, keep, those of threads and
// the runtime's own.
func closeOthers(keep []int, threads threads) error {
	for _, fd := range keep {
		if fd <= 2 || !onlyTalks(fd) {
			return fmt.Errorf("descriptor %d is no pipe or socket to keep; start the process with an end of one as descriptor 3 or above", fd)
		}
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("%w; mount /proc", err)
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || slices.Contains(keep, fd) || fd == 2 || threads.has(fd) || ofRuntime(fd) {
			continue
		}
		_ = unix.Close(fd) // the list contains the directory read above, which is closed already
	}
	return nil
}

// CloseOnExec marks every descriptor from first on as close-on-exec: programs that this
// process starts must not get a descriptor that a worker left open.
func CloseOnExec(first uint) error {
	if err := unix.CloseRange(first, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close_range: %w; it needs Linux 5.11", err)
	}
	return nil
}

// onlyTalks reports whether fd is only a channel to the process at its other end.
func onlyTalks(fd int) bool {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return false
	}
	kind := st.Mode & unix.S_IFMT
	return kind == unix.S_IFIFO || kind == unix.S_IFSOCK
}

// ofRuntime reports whether the Go runtime polls with fd, which must then stay open. A
// descriptor that this program inherited, and that could be any process's epoll, has no
// close-on-exec flag.
func ofRuntime(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		return false
	}
	kind, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	return err == nil && (kind == "anon_inode:[eventpoll]" || kind == "anon_inode:[eventfd]")
}
