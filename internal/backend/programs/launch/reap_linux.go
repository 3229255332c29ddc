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

// wait reaps whatever ends, until the program has.
func (l *launcher) wait() syscall.WaitStatus {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return syscall.WaitStatus(syscall.SIGKILL) // there is nothing to wait for any more
		}
		if status, ended := l.reap(); ended {
			return status
		}
	}
}

// reap reaps one process, and returns how the program ended if that was it. Until
// then its number stays its own, so that no signal reaches another.
func (l *launcher) reap() (status syscall.WaitStatus, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	l.gone = l.gone || err == nil && pid == l.pid
	return status, l.gone
}

// sweep ends what the program left behind. In a namespace of processes the end of
// this one does that; without, all of it has become a child of this process, or will
// when its parent is ended.
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
		// One that was killed will end; what it had started comes up then.
		var info unix.Siginfo
		_ = unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil)
	}
}

// children are the processes whose parent is this one. Only this process can wait
// for them, so that none of the numbers can become another's.
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

// scan is for kernels without CONFIG_PROC_CHILDREN. It is slower: a program that
// forks all the time may escape it for a while.
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
