package lockdown

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// limit is one resource and the most of it the process may have from now on.
type limit struct {
	name     string
	resource int
	value    uint64
}

// setLimits bounds what the process may use. The hard limit is the same as the
// soft one: the process can raise neither.
func setLimits(o Options, mapped uint64) error {
	if o.AddressSpace > math.MaxInt64-mapped {
		return fmt.Errorf("AddressSpace is %d; want less", o.AddressSpace)
	}
	for _, l := range limits(o, mapped) {
		var had unix.Rlimit
		err := unix.Prlimit(0, l.resource, nil, &had)
		if err == nil {
			most := min(had.Max, l.value) // who started this may have allowed less
			err = unix.Prlimit(0, l.resource, &unix.Rlimit{Cur: most, Max: most}, nil)
		}
		if err != nil {
			return fmt.Errorf("%s: %w; let prlimit64 pass in the container's profile", l.name, err)
		}
	}
	return nil
}

// limits are what o allows a process that has mapped bytes already. It opens
// nothing and writes no file from here on, so it may have none of either.
func limits(o Options, mapped uint64) []limit {
	return []limit{
		{"RLIMIT_AS", unix.RLIMIT_AS, mapped + o.AddressSpace},
		{"RLIMIT_CPU", unix.RLIMIT_CPU, o.CPUSeconds},
		{"RLIMIT_CORE", unix.RLIMIT_CORE, 0},
		{"RLIMIT_FSIZE", unix.RLIMIT_FSIZE, 0},
		{"RLIMIT_MEMLOCK", unix.RLIMIT_MEMLOCK, 0},
		{"RLIMIT_MSGQUEUE", unix.RLIMIT_MSGQUEUE, 0},
		{"RLIMIT_NOFILE", unix.RLIMIT_NOFILE, 0},
	}
}

// mappedBytes is the size of the process's address space. A Go program maps more
// than a GiB at its start, most of which it never touches.
func mappedBytes() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("%w; mount /proc", err)
	}
	first, _, _ := bytes.Cut(text, []byte(" "))
	pages, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/proc/self/statm is %q: %w", text, err)
	}
	return pages * uint64(os.Getpagesize()), nil
}
