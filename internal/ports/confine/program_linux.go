package confine

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Restrict restricts the calling thread and everything it will start, and verifies the
// restriction. files adds the parts of the host that the program may use. The caller
// must keep the goroutine on its thread.
func (p *Program) Restrict(files func(*Files)) error {
	for _, step := range []step{
		{"capabilities", dropForever},
		{"no_new_privs", func() error { return noNewPrivileges(inThread) }},
		{"landlock", func() error { return p.restrictFiles(files) }},
		{"seccomp", p.filter},
		{"check", filesAndSocketsGone},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.part, err)
		}
	}
	return nil
}

func (p *Program) restrictFiles(files func(*Files)) error {
	set, err := newFiles(kept{network: p.Network})
	if err != nil {
		return err
	}
	defer set.close()
	files(set)
	return set.restrict(inThread)
}

// Available returns what this host lacks to confine the program.
func (p *Program) Available() error {
	version, err := LandlockVersion()
	if err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if !p.Pids && version < scopedSignals {
		return fmt.Errorf(
			"landlock: version %d does not keep a program from signalling others; it needs Linux 6.12, or namespaces for processes and users",
			version,
		)
	}
	return listed()
}

// dropForever empties every capability set of this thread, so that the program has none
// even if it runs as root. If this process may not change the bounding set, it has none
// either.
func dropForever() error {
	const locked = 1<<0 | 1<<1 | 1<<2 | 1<<3 // NOROOT, NO_SETUID_FIXUP and their locks
	_ = unix.Prctl(unix.PR_SET_SECUREBITS, locked, 0, 0, 0)
	for capability := range uintptr(64) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
			break
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	return dropInThread()
}

// filesAndSocketsGone tries operations that must have become impossible.
func filesAndSocketsGone() error {
	if err := filesGone(); err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if !errors.Is(err, refused) {
		_ = unix.Close(fd)
		return fmt.Errorf("sockets are not filtered: %w", err)
	}
	return nil
}
