package lockdown

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// closeOthers closes every descriptor but standard error, keep, those of threads
// and the runtime's own.
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
		_ = unix.Close(fd) // the directory read above is in the list, and closed already
	}
	return nil
}

// onlyTalks says whether fd is no more than a way to whoever has its other end.
func onlyTalks(fd int) bool {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return false
	}
	kind := st.Mode & unix.S_IFMT
	return kind == unix.S_IFIFO || kind == unix.S_IFSOCK
}

// ofRuntime says whether the Go runtime polls with fd; without it the runtime
// breaks. A descriptor that this program was started with, and that could be
// anybody's epoll, has no close-on-exec flag: it would not be here otherwise.
func ofRuntime(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		return false
	}
	kind, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	return err == nil && (kind == "anon_inode:[eventpoll]" || kind == "anon_inode:[eventfd]")
}
