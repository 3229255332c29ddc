package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// openStatm opens the kernel's memory figures of a process. The file stays open, since it
// is read after each run; nil if the system hides it.
func openStatm(pid int) *os.File {
	f, err := os.Open(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return nil
	}
	return f
}

// resident returns the bytes of memory that belong to the process alone, or 0 if that is
// unknown. It does not count the pages of the program, which all children share with the
// worker: a large program would exceed any bound from its start.
func (p *process) resident() int64 {
	if p.statm == nil {
		return 0
	}
	var text [128]byte
	n, _ := p.statm.ReadAt(text[:], 0) // io.EOF comes with the data
	fields := bytes.Fields(text[:n])
	if len(fields) < 3 {
		return 0
	}
	all, err := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, errShared := strconv.ParseInt(string(fields[2]), 10, 64)
	if err != nil || errShared != nil {
		return 0
	}
	return (all - shared) * int64(os.Getpagesize())
}
