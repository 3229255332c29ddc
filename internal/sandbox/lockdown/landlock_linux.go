package lockdown

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const noLandlock = "not available (%w); it needs Linux 5.13 with CONFIG_SECURITY_LANDLOCK, landlock in the kernel's lsm= list, and a container whose seccomp profile lets it pass"

// restrictFiles has Landlock take every right on files and the network that the
// kernel knows to take: the ruleset handles them all and allows none.
func restrictFiles() error {
	version, err := landlockVersion()
	if err != nil {
		return err
	}
	attr := ruleset(version, signalsScoped())
	size := unsafe.Sizeof(attr)
	switch { // the kernel refuses fields it does not know
	case version < 4:
		size = unsafe.Offsetof(attr.Net)
	case version < 6:
		size = unsafe.Offsetof(attr.Scoped)
	}
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	defer func() { _ = unix.Close(int(r)) }()
	if err := allThreads(unix.SYS_LANDLOCK_RESTRICT_SELF, r, restrictFlags(version)); err != nil {
		return fmt.Errorf("landlock_restrict_self: %w", err)
	}
	return nil
}

// filesGone has to be asked before seccomp, which answers the same question.
func filesGone() error {
	fd, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if !errors.Is(err, unix.EACCES) {
		_ = unix.Close(fd)
		return fmt.Errorf("the root directory can still be opened, or gives another error than it should: %w", err)
	}
	return nil
}

// restrictFlags keep filesGone out of the host's audit log; nothing
// else comes as far as Landlock, seccomp refuses it before.
func restrictFlags(version int) uintptr {
	if version < 7 {
		return 0
	}
	return unix.LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF
}

// attributes is the start of the kernel's struct, as far as version 6 knows it.
type attributes struct {
	FS, Net, Scoped uint64
}

// ruleset takes all that a version of Landlock can take. What an old one cannot,
// such as TCP and truncating, seccomp refuses by itself. Versions to come are
// treated as the newest one known here.
func ruleset(version int, scopeSignals bool) attributes {
	a := attributes{FS: 2*unix.LANDLOCK_ACCESS_FS_MAKE_SYM - 1}
	if version >= 2 {
		a.FS |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		a.FS |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		a.Net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 5 {
		a.FS |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		a.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		if scopeSignals {
			a.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
		}
	}
	if version >= 9 {
		a.FS |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	if version >= 10 {
		a.Net |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	}
	return a
}

// landlockVersion is the kernel's, or an error that says what to do.
func landlockVersion() (int, error) {
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf(noLandlock, errno)
	}
	return int(r), nil
}

// signalsScoped says whether this kernel, scoping signals, still lets the threads
// of a process signal each other, as the Go runtime does all the time (erratum 2).
// Where it does not, seccomp alone refuses signals to others.
func signalsScoped() bool {
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	return errno == 0 && r&2 != 0
}
