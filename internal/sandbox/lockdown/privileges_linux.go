package lockdown

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const nobody = 65534

// dropPrivileges gives up the user (where there are privileges to do that) and all
// capabilities, and takes from others of that user what they could do to this
// process.
func dropPrivileges() error {
	parent := os.Getppid()
	becomeNobody()
	if err := dropCapabilities(); err != nil {
		return err
	}
	// A change of user takes away both of these, so they come after it.
	if err := allThreads(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL)); err != nil {
		return fmt.Errorf("PR_SET_PDEATHSIG: %w", err)
	}
	if os.Getppid() != parent {
		return errors.New("the process that started this one has ended")
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_DUMPABLE: %w", err)
	}
	return nil
}

// becomeNobody is for a worker that runs as root. In any other it fails, and in a
// user namespace without that user too; then there is less to lose.
func becomeNobody() {
	_ = syscall.Setgroups(nil)
	_ = syscall.Setresgid(nobody, nobody, nobody)
	_ = syscall.Setresuid(nobody, nobody, nobody)
}

// dropCapabilities empties the effective, permitted, inheritable and (by that) the
// ambient set. The bounding set is about programs that are run later: there are none.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	err := allThreads(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)))
	if err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}

// noNewPrivileges makes it final: nothing this process does gives it privileges.
func noNewPrivileges() error {
	return allThreads(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
}

// allThreads makes a system call in every thread. It needs signals to do so.
//
//go:uintptrescapes
func allThreads(call, a, b uintptr) error {
	_, _, errno := syscall.AllThreadsSyscall(call, a, b, 0)
	if errno == syscall.ENOTSUP {
		return errors.New("this program is linked with cgo, whose threads cannot be reached; build it with CGO_ENABLED=0")
	}
	if errno != 0 {
		return errno
	}
	return nil
}
