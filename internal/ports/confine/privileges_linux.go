package confine

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const nobody = 65534

// dropPrivileges gives up the user (if it has the privilege to) and all capabilities,
// and prevents other processes of the user from accessing this one.
func dropPrivileges() error {
	parent := os.Getppid()
	becomeNobody()
	if err := dropCapabilities(); err != nil {
		return err
	}
	// A change of user resets both of these, so they come after it.
	if err := allThreads(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL)); err != nil {
		return fmt.Errorf("PR_SET_PDEATHSIG: %w", err)
	}
	if os.Getppid() != parent {
		return errors.New("the process that started this one has ended")
	}
	return Hide()
}

// becomeNobody is for a worker that runs as root. In any other process it fails, and in
// a user namespace without that user too; then there is less to lose.
func becomeNobody() {
	_ = syscall.Setgroups(nil)
	_ = syscall.Setresgid(nobody, nobody, nobody)
	_ = syscall.Setresuid(nobody, nobody, nobody)
}

// dropCapabilities empties the effective, permitted, inheritable and thereby the
// ambient set, of every thread. The bounding set only affects programs that are run
// later, and a script runs none.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	err := allThreads(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)))
	if err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}

// dropInThread does the same in the calling thread.
func dropInThread() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}

// Hide prevents other processes of this user from accessing this one, and disables core
// dumps.
func Hide() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_DUMPABLE: %w", err)
	}
	return nil
}

// noNewPrivileges makes it final: the targets of call never get privileges again.
func noNewPrivileges(call caller) error {
	return call(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
}

// caller makes a system call in a thread, or in all of them.
type caller func(call, a, b uintptr) error

// inThread makes a system call whose arguments are numbers in this thread.
func inThread(call, a, b uintptr) error {
	if _, _, errno := unix.RawSyscall6(call, a, b, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// allThreads makes a system call in every thread. It needs signals to do so.
//
//go:uintptrescapes
func allThreads(call, a, b uintptr) error {
	_, _, errno := syscall.AllThreadsSyscall(call, a, b, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
