package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// openStatm opens what the kernel says of the memory of a process. It stays open,
// since this is read after each run; nil if the system hides it.
func openStatm(pid int) *os.File {
	f, err := os.Open(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return nil
	}
	return f
}

// resident is how many bytes of memory the process has to itself, or 0 if nobody
// can say. The pages of the program, which all children share with the worker, are
// not among them: a large program would be over any bound from its start.
func (p *process) resident() int64 {
	if p.statm == nil {
		return 0
	}
	var text [128]byte
	n, _ := p.statm.ReadAt(text[:], 0) // io.EOF comes with what was read
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
