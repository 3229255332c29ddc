package launch

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// wait reaps processes until the program has ended.
func (l *launcher) wait() syscall.WaitStatus {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return syscall.WaitStatus(syscall.SIGKILL) // there are no children left
		}
		if status, ended := l.reap(); ended {
			return status
		}
	}
}

// reap reaps one process, and returns the program's state if it was the program. Until
// then its pid cannot be reused, so that no signal reaches another process.
func (l *launcher) reap() (status syscall.WaitStatus, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	l.gone = l.gone || err == nil && pid == l.pid
	return status, l.gone
}

// sweep ends the processes that the program left behind. In a pid namespace they end
// with this process; without one, they have become children of this process, or will
// when their parent is ended.
func (l *launcher) sweep() {
	for !l.job.Pids {
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if errors.Is(err, syscall.ECHILD) {
				return
			}
			if pid <= 0 && !errors.Is(err, syscall.EINTR) {
				break
			}
		}
		for _, pid := range children() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		// Killed processes will end; their children then become visible here.
		var info unix.Siginfo
		_ = unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil)
	}
}

// children returns the children of this process. Only this process can wait for them,
// so that none of their pids can be reused.
func children() []int {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	if lists == nil {
		return scan()
	}
	var found []int
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may have ended
		for field := range bytes.FieldsSeq(text) {
			if pid, err := strconv.Atoi(string(field)); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

// scan is for kernels without CONFIG_PROC_CHILDREN. It is slower: a program that forks
// continuously may escape it for a while.
func scan() []int {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	self := strconv.Itoa(os.Getpid())
	var found []int
	for _, dir := range dirs {
		stat, _ := os.ReadFile(dir + "/stat")
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // state, parent, …
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && len(fields) > 1 && string(fields[1]) == self {
			found = append(found, pid)
		}
	}
	return found
}
