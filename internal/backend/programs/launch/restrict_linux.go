package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// restrict takes from the calling thread, and from what it will start, what the
// program must not have, and makes sure of it.
func (j *Job) restrict() error {
	for _, step := range []struct {
		part string
		do   func() error
	}{
		{"capabilities", dropCapabilities},
		{"no_new_privs", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
		{"landlock", j.restrictFiles},
		{"seccomp", j.filterCalls},
		{"check", j.check},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.part, err)
		}
	}
	return nil
}

// dropCapabilities empties every set, so that the program has none even if it runs
// as root. Where the launcher may not touch the bounding set it has none either.
func dropCapabilities() error {
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
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// check tries what must have become impossible.
func (j *Job) check() error {
	fd, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if !errors.Is(err, unix.EACCES) {
		unix.Close(fd)
		return fmt.Errorf("the root directory can still be opened, or gives another error than it should: %w", err)
	}
	fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if !errors.Is(err, refused) {
		unix.Close(fd)
		return fmt.Errorf("sockets are not filtered: %w", err)
	}
	return nil
}

// headroom is what a launcher may still need while it starts the program.
const headroom = 64 << 20

// ownMemory is how much data this process may have while it starts the program. A
// program that is allowed less has this much for a moment.
func ownMemory() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("%w; mount /proc", err)
	}
	const data = 5 // the field, counted from 0
	fields := bytes.Fields(text)
	if len(fields) <= data {
		return 0, fmt.Errorf("/proc/self/statm is %q", text)
	}
	pages, err := strconv.ParseUint(string(fields[data]), 10, 64)
	return pages*uint64(os.Getpagesize()) + headroom, err
}

// limitMemory gives the program a limit below the launcher's own.
func (j *Job) limitMemory(pid int, own uint64) error {
	if j.Memory >= own {
		return nil
	}
	var had unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, nil, &had); err != nil {
		return err
	}
	most := min(had.Max, j.Memory)
	return unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}, nil)
}

// limit bounds what the program may use, by bounding this process: a child inherits
// it. The launcher has what it needs by now.
func (j *Job) limit(own uint64) error {
	limits := []struct {
		name     string
		resource int
		value    uint64
	}{
		{"RLIMIT_CORE", unix.RLIMIT_CORE, 0},
		{"RLIMIT_MSGQUEUE", unix.RLIMIT_MSGQUEUE, 0},
		{"RLIMIT_FSIZE", unix.RLIMIT_FSIZE, j.FileSize},
		{"RLIMIT_NOFILE", unix.RLIMIT_NOFILE, j.OpenFiles},
		{"RLIMIT_NPROC", unix.RLIMIT_NPROC, j.Processes},
		{"RLIMIT_DATA", unix.RLIMIT_DATA, max(j.Memory, own)},
	}
	for _, l := range limits {
		if l.resource == unix.RLIMIT_NPROC && l.value == 0 {
			continue
		}
		var had unix.Rlimit
		err := unix.Prlimit(0, l.resource, nil, &had)
		if err == nil {
			most := min(had.Max, l.value) // who started the worker may have allowed less
			err = unix.Prlimit(0, l.resource, &unix.Rlimit{Cur: most, Max: most}, nil)
		}
		if err != nil {
			return fmt.Errorf("%s: %w; let prlimit64 pass in the container's profile", l.name, err)
		}
	}
	return nil
}
