package lockdown

import (
	"os"
	"syscall"
)

// Explain says in one sentence why a locked-down process ended, if the reason is a
// forbidden system call, else "". The dead process could not say so itself.
func Explain(s *os.ProcessState) string {
	status, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGSYS {
		return ""
	}
	return "the process made a system call that is forbidden to it; the kernel's log has the number (audit type 1326, syscall=)"
}
