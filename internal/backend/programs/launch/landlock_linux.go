package launch

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Versions of Landlock, by what came with them.
const (
	movesAcross   = 2
	truncates     = 3
	tcp           = 4
	deviceIoctls  = 5
	scopedSignals = 6 // and abstract sockets
	namedSockets  = 9
	udp           = 10
)

// Rights on files that can be given on a file itself; the others are a directory's.
const (
	readFile  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	writeFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	onFiles   = readFile | writeFile | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	readAll   = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	noNodes   = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// LandlockVersion is the kernel's; the error says what to do where there is none.
func LandlockVersion() (int, error) { return landlockVersion() }

func landlockVersion() (int, error) {
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("landlock: %w; it needs Linux 5.13 with CONFIG_SECURITY_LANDLOCK, landlock in the kernel's lsm= list, and a container whose seccomp profile lets it pass", errno)
	}
	return int(r), nil
}

// ruleset is the start of the kernel's struct.
type ruleset struct {
	FS, Net, Scoped uint64
}

// handled is everything that a version can take. Versions to come are treated as
// the newest one known here.
func handled(version int, network bool) (r ruleset, size uintptr) {
	r.FS = 2*unix.LANDLOCK_ACCESS_FS_MAKE_SYM - 1
	size = unsafe.Offsetof(r.Net)
	if version >= movesAcross {
		r.FS |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= truncates {
		r.FS |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= deviceIoctls {
		r.FS |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= namedSockets {
		r.FS |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	if version >= tcp {
		size = unsafe.Offsetof(r.Scoped)
		if !network {
			r.Net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if version >= udp && !network {
		r.Net |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	}
	if version >= scopedSignals {
		size = unsafe.Sizeof(r)
		r.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return r, size
}

// rules collects what a ruleset allows.
type rules struct {
	fd      int
	handled uint64
	err     error
}

// restrictFiles lays Landlock on the calling thread and what it will start.
func (j *Job) restrictFiles() error {
	version, err := landlockVersion()
	if err != nil {
		return err
	}
	attr, size := handled(version, j.Network)
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	set := &rules{fd: int(r), handled: attr.FS}
	defer unix.Close(set.fd)
	for _, path := range j.System {
		set.allow(path, readAll)
	}
	for _, path := range devices {
		set.allow(path, readFile|writeFile|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
	}
	if j.Mounts && j.Pids {
		set.allow("/proc", readAll)
	}
	for _, path := range machine {
		set.allow(path, readFile)
	}
	for _, name := range []string{"home", "tmp", "shm"} {
		set.allow(j.own(name), set.handled&^noNodes)
	}
	set.workspace(j)
	if set.err != nil {
		return set.err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(set.fd), 0, 0); errno != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", errno)
	}
	return nil
}

func (r *rules) workspace(j *Job) {
	top, err := openBelow(unix.AT_FDCWD, j.Workspace, unix.O_DIRECTORY, 0)
	if err != nil {
		r.err = errors.Join(r.err, err)
		return
	}
	defer unix.Close(top)
	rights := r.handled &^ noNodes
	if j.ReadOnly {
		rights = readAll
	}
	for _, grant := range j.Grants {
		fd, failure := openGrant(top, grant)
		switch {
		case failure != nil:
			r.err = errors.Join(r.err, errors.New(failure.Msg))
		case fd >= 0:
			r.add(fd, rights)
			unix.Close(fd)
		}
	}
}

// allow gives rights on what lies at a path of the host, if it is there.
func (r *rules) allow(path string, rights uint64) {
	fd, err := openBelow(unix.AT_FDCWD, path, 0, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	r.add(fd, rights)
}

func (r *rules) add(fd int, rights uint64) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		r.err = errors.Join(r.err, err)
		return
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= onFiles
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights & r.handled, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		r.err = errors.Join(r.err, fmt.Errorf("landlock_add_rule: %w", errno))
	}
}
