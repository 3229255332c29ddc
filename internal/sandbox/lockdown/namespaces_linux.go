package lockdown

import (
	"errors"
	"os"
	"syscall"
)

// nowhere is a program that cannot exist: whoever fails to run it was started.
const nowhere = "/proc/self/status/nowhere"

// kinds of namespaces worth having for a process that is locked down anyway.
var kinds = []struct {
	name string
	flag uintptr
}{
	{"network_namespace", syscall.CLONE_NEWNET},
	{"ipc_namespace", syscall.CLONE_NEWIPC},
	{"uts_namespace", syscall.CLONE_NEWUTS},
	{"pid_namespace", syscall.CLONE_NEWPID},
}

// namespaces asks for a user namespace first where that is what makes the others
// possible. Root needs none, and is better without: its children become nobody,
// who does not exist in a new user namespace, where they would stay root's.
func namespaces() (flags uintptr, parts []Part) {
	user := Part{Name: "user_namespace", OK: true, Detail: "not needed by root, whose children become nobody"}
	if os.Geteuid() != 0 {
		user.Detail = "available"
		if err := start(syscall.CLONE_NEWUSER); err != nil {
			user.OK, user.Detail = false, without(err)
		} else {
			flags = syscall.CLONE_NEWUSER
		}
	}
	parts = append(parts, user)
	for _, k := range kinds {
		p := Part{Name: k.name, OK: true, Detail: "available"}
		if err := start(flags | k.flag); err != nil {
			p.OK, p.Detail = false, without(err)
		} else {
			flags |= k.flag
		}
		parts = append(parts, p)
	}
	return flags, parts
}

// start starts a process with flags, which ends at once for want of a program; an
// error is about the flags.
func start(flags uintptr) error {
	_, err := syscall.ForkExec(nowhere, []string{nowhere}, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: flags}}) //nolint:gosec // the program is a constant
	if errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}

// without says what to do about a namespace that cannot be had.
func without(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "the host allows no more of them; raise the sysctls user.max_*_namespaces, or do without"
	}
	return "not permitted (" + err.Error() + "); allow unprivileged user namespaces, or do without"
}
