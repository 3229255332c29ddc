package confine

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Versions of Landlock, by the right they added. Version 10 is the newest one in the
// kernel headers; later versions are treated like it.
const (
	movesAcross   = 2
	truncates     = 3
	tcp           = 4
	deviceIoctls  = 5
	scopedSignals = 6 // and abstract sockets
	logs          = 7
	namedSockets  = 9
	udp           = 10
)

const noLandlock = "not available (%w); it needs Linux 5.13 with CONFIG_SECURITY_LANDLOCK, landlock in the kernel's lsm= list, " +
	"and a container whose seccomp profile lets it pass"

// LandlockVersion returns the kernel's version of Landlock. Without Landlock it returns
// an error with advice.
func LandlockVersion() (int, error) {
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf(noLandlock, errno)
	}
	return int(r), nil
}

// threadsExempt reports whether this kernel, when it scopes signals, lets the threads
// of a process signal each other, as the Go runtime does all the time (erratum 2). If
// not, only seccomp prevents a script's signals to others.
func threadsExempt() bool {
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	return errno == 0 && r&2 != 0
}

// kept holds what a ruleset does not restrict.
type kept struct {
	network bool // the network
	signals bool // signals to processes outside
}

// attributes is the start of the kernel's struct, as defined in version 10.
type attributes struct {
	FS, Net, Scoped uint64
}

// size returns the part of the struct that a kernel of this version accepts.
func (a *attributes) size(version int) uintptr {
	switch {
	case version < tcp:
		return unsafe.Offsetof(a.Net)
	case version < scopedSignals:
		return unsafe.Offsetof(a.Scoped)
	}
	return unsafe.Sizeof(*a)
}

// handled returns everything that a version of Landlock can restrict, except what is
// kept.
func handled(version int, k kept) attributes {
	a := attributes{FS: 2*unix.LANDLOCK_ACCESS_FS_MAKE_SYM - 1}
	for _, right := range []struct {
		since  int
		access uint64
	}{
		{movesAcross, unix.LANDLOCK_ACCESS_FS_REFER},
		{truncates, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{deviceIoctls, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{namedSockets, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
	} {
		if version >= right.since {
			a.FS |= right.access
		}
	}
	if version >= tcp && !k.network {
		a.Net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= udp && !k.network {
		a.Net |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	}
	if version >= scopedSignals {
		a.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		if !k.signals {
			a.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
		}
	}
	return a
}

// newFiles returns a ruleset that restricts everything but what is kept, and allows
// nothing yet.
func newFiles(k kept) (*Files, error) {
	version, err := LandlockVersion()
	if err != nil {
		return nil, err
	}
	attr := handled(version, k)
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), attr.size(version), 0)
	if errno != 0 {
		return nil, fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	return &Files{fd: int(r), handled: attr.FS, version: version}, nil
}

// restrict applies the ruleset to the targets of call: a thread, or all of them.
func (f *Files) restrict(call caller) error {
	if f.err != nil {
		return f.err
	}
	var flags uintptr
	if f.version >= logs {
		// This program's own checks of the restriction do not belong in the host's
		// audit log.
		flags = unix.LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF
	}
	if err := call(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(f.fd), flags); err != nil {
		return fmt.Errorf("landlock_restrict_self: %w", err)
	}
	return nil
}

// filesGone must run before seccomp is installed, which would give the same answer.
func filesGone() error {
	fd, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if !errors.Is(err, unix.EACCES) {
		_ = unix.Close(fd)
		return fmt.Errorf("the root directory can still be opened, or gives another error than it should: %w", err)
	}
	return nil
}
