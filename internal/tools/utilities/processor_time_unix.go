//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package utilities

import (
	"syscall"
	"time"
)

// processorTime is how long this process has kept processors busy.
func processorTime() (user, system time.Duration) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, 0
	}
	return time.Duration(usage.Utime.Nano()), time.Duration(usage.Stime.Nano())
}
