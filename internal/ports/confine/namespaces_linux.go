package confine

import (
	"errors"
	"os"
	"syscall"
)

// nowhere is a program that cannot exist. A process that fails to execute it was
// started successfully.
const nowhere = "/proc/self/status/nowhere"

// Apart holds the namespaces that separate a process from others: of processes, of the
// network, of System V objects and of host names.
const Apart = syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS

// The other namespaces, for flags of a process to start: a user namespace, in which an
// unprivileged process can have the rest, a mount namespace, and all of Apart.
const (
	Users   = syscall.CLONE_NEWUSER
	Mounts  = syscall.CLONE_NEWNS
	Pids    = syscall.CLONE_NEWPID
	Network = syscall.CLONE_NEWNET
	IPC     = syscall.CLONE_NEWIPC
)

// Spaces sets in p the namespaces with which a launcher was started.
func (p *Program) Spaces(flags uintptr) {
	p.Mounts = flags&Mounts != 0
	p.Pids = flags&Pids != 0
	p.Net = flags&Network != 0
	p.IPC = flags&IPC != 0
}

// kinds lists the namespaces that are useful for a process that is confined anyway.
var kinds = []struct {
	name string
	flag uintptr
}{
	{"network_namespace", syscall.CLONE_NEWNET},
	{"ipc_namespace", syscall.CLONE_NEWIPC},
	{"uts_namespace", syscall.CLONE_NEWUTS},
	{"pid_namespace", syscall.CLONE_NEWPID},
}

// namespaces requests a user namespace first if the others require it. Root needs none:
// its children become nobody, a user that does not exist in a new user namespace, where
// they would stay root's.
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

// start starts a process with flags that ends immediately because its program does not
// exist; an error is about the flags.
func start(flags uintptr) error {
	_, err := syscall.ForkExec(nowhere, []string{nowhere}, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: flags}})
	if errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}

// without returns advice about a namespace that is not available.
func without(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "the host allows no more of them; raise the sysctls user.max_*_namespaces, or do without"
	}
	return "not permitted (" + err.Error() + "); allow unprivileged user namespaces, or do without"
}
