package bench

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent makes the kernel kill a child whose parent is gone. The child is in a process
// group of its own: an interrupt from the terminal is for the parent only, which ends it.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// ownUsage returns the resource usage of this process so far.
func ownUsage() usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return usage{}
	}
	return usage{
		CPU: float64(r.Utime.Nano()+r.Stime.Nano()) / 1000,
		RSS: residentBytes(), Files: openFiles(),
	}
}

// openFiles returns the number of open file descriptors of this process.
func openFiles() int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(files) - 1 // without that of the directory
}

// residentBytes returns the resident memory of this process.
func residentBytes() int64 { return residentPages() * int64(os.Getpagesize()) }

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

// lowestPriority gives this process the lowest priority. Later threads inherit it.
func lowestPriority() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, 19) // the thread may have ended
		}
	}
}
