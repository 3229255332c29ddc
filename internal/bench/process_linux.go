package bench

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent has the kernel kill a child whose parent is gone, however it
// went.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// ownUsage is what this process has used until now.
func ownUsage() usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return usage{}
	}
	return usage{
		CPU: float64(r.Utime.Nano()+r.Stime.Nano()) / 1000,
		RSS: residentPages() * int64(os.Getpagesize()),
	}
}

func residentPages() int64 {
	fields := strings.Fields(firstLine("/proc/self/statm"))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages
}
