package confine

import (
	"os"
	"syscall"
)

// Explain returns one sentence that explains why a confined process ended, if it made a
// forbidden system call, otherwise "". The dead process could not report it itself.
func Explain(s *os.ProcessState) string {
	status, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGSYS {
		return ""
	}
	return "the process made a system call that is forbidden to it; the kernel's log has the number (audit type 1326, syscall=)"
}
