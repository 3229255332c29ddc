package confine

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// limit is a resource and its new limit.
type limit struct {
	name     string
	resource int
	value    uint64
}

// setLimits sets the soft and hard limits of this process, so that it cannot raise
// them. A lower existing limit is kept.
func setLimits(limits []limit) error {
	for _, l := range limits {
		if err := setLimit(0, l.resource, l.value); err != nil {
			return fmt.Errorf("%s: %w; let prlimit64 pass in the container's profile", l.name, err)
		}
	}
	return nil
}

// setLimit sets a limit of a process, this one if pid is 0.
func setLimit(pid, resource int, value uint64) error {
	var had unix.Rlimit
	if err := unix.Prlimit(pid, resource, nil, &had); err != nil {
		return err
	}
	most := min(had.Max, value) // the parent may have set a lower limit
	return unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil)
}

// limitScript limits the resources of a script's process beyond what it has mapped. The
// script opens and writes no files afterwards, so these limits are 0.
func limitScript(s Script, mapped uint64) error {
	if s.AddressSpace > math.MaxInt64-mapped {
		return fmt.Errorf("AddressSpace is %d; want less", s.AddressSpace)
	}
	return setLimits([]limit{
		{"RLIMIT_AS", unix.RLIMIT_AS, mapped + s.AddressSpace},
		{"RLIMIT_CPU", unix.RLIMIT_CPU, s.CPUSeconds},
		{"RLIMIT_CORE", unix.RLIMIT_CORE, 0},
		{"RLIMIT_FSIZE", unix.RLIMIT_FSIZE, 0},
		{"RLIMIT_MEMLOCK", unix.RLIMIT_MEMLOCK, 0},
		{"RLIMIT_MSGQUEUE", unix.RLIMIT_MSGQUEUE, 0},
		{"RLIMIT_NOFILE", unix.RLIMIT_NOFILE, 0},
	})
}

// lockable is the amount of memory a program may lock: encryption programs keep keys
// out of swap space, and warn if they cannot.
const lockable = 64 << 10

// Limit limits the resources of the program by limiting this process, because a child
// inherits the limits. own is the memory that this process itself needs. There is no
// limit of CPU time: a program of many threads would reach it before its time is over.
func (p *Program) Limit(own uint64) error {
	limits := []limit{
		{"RLIMIT_CORE", unix.RLIMIT_CORE, 0},
		{"RLIMIT_MEMLOCK", unix.RLIMIT_MEMLOCK, lockable},
		{"RLIMIT_MSGQUEUE", unix.RLIMIT_MSGQUEUE, 0},
		{"RLIMIT_FSIZE", unix.RLIMIT_FSIZE, p.FileSize},
		{"RLIMIT_NOFILE", unix.RLIMIT_NOFILE, p.OpenFiles},
		{"RLIMIT_DATA", unix.RLIMIT_DATA, max(p.Memory, own)},
	}
	if p.Processes > 0 {
		limits = append(limits, limit{"RLIMIT_NPROC", unix.RLIMIT_NPROC, p.Processes})
	}
	return setLimits(limits)
}

// LimitMemory gives the started program a limit below that of the starting process.
func (p *Program) LimitMemory(pid int, own uint64) error {
	if p.Memory >= own {
		return nil
	}
	return setLimit(pid, unix.RLIMIT_DATA, p.Memory)
}

// headroom is the memory that a launcher may need while it starts the program.
const headroom = 64 << 20

// OwnMemory returns the memory that this process may have while it starts a program. A
// program with a lower limit has this much for a moment.
func OwnMemory() (uint64, error) {
	const data = 5 // the field of statm
	own, err := statm(data)
	return own + headroom, err
}

// mappedBytes returns the size of the process's address space. A Go program maps
// more than a GiB at its start, most of which it never touches.
func mappedBytes() (uint64, error) { return statm(0) }

// statm returns a field of /proc/self/statm, in bytes.
func statm(field int) (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("%w; mount /proc", err)
	}
	fields := bytes.Fields(text)
	if len(fields) <= field {
		return 0, fmt.Errorf("/proc/self/statm is %q", text)
	}
	pages, err := strconv.ParseUint(string(fields[field]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/proc/self/statm is %q: %w", text, err)
	}
	return pages * uint64(os.Getpagesize()), nil
}
