package launch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/tool"
)

const socket = 3 // the descriptor of job and reports

// Child serves as a launcher if this process was started as one, and then ends it.
// It must be the first thing that main, or TestMain, does.
func Child() {
	if len(os.Args) != 2 || os.Args[1] != Argument {
		return
	}
	if err := serve(os.NewFile(socket, "worker")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		unix.Exit(1)
	}
	unix.Exit(0) // the program is gone, or its worker
}

// launcher is the state of one.
type launcher struct {
	job     Job
	reports *json.Encoder
	own     uint64 // the data this process may have

	mu   sync.Mutex
	pid  int  // of the program
	gone bool // waited for: the number may be another's
}

func serve(conn *os.File) error {
	// A descriptor that a worker left open is not for the program.
	if err := unix.CloseRange(socket, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close_range: %w; it needs Linux 5.11", err)
	}
	in := bufio.NewReader(conn)
	l := &launcher{reports: json.NewEncoder(conn)}
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &l.job)
	}
	if err != nil {
		return errors.New(Argument + ": only a worker starts this")
	}
	if failure := l.prepare(); failure != nil {
		return l.reports.Encode(failure)
	}
	if failure := l.start(); failure != nil {
		return l.reports.Encode(failure)
	}
	if err := l.reports.Encode(&Report{Started: true}); err != nil || l.job.Trial {
		return err
	}
	go l.obey(in)
	status := l.wait()
	l.sweep()
	return l.reports.Encode(&Report{Ended: true, Status: uint32(status)})
}

// prepare does what concerns the whole process.
func (l *launcher) prepare() *Report {
	if l.job.Free {
		return l.prepareFree()
	}
	if err := l.available(); err != nil {
		return failed(tool.NotConfigured, "Programs cannot be confined on this worker; ask its operator to look at 'helve doctor'", err)
	}
	var err error
	if l.own, err = ownMemory(); err != nil {
		return failed(tool.NotConfigured, "Programs cannot be confined on this worker", err)
	}
	// The kernel ends these first when memory runs out.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("900"), 0)
	if !l.job.Pids {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return failed(tool.NotConfigured, "Programs cannot be confined on this worker", fmt.Errorf("PR_SET_CHILD_SUBREAPER: %w", err))
		}
	}
	if l.job.Mounts {
		if failure := l.job.buildRoot(); failure != nil {
			return failure
		}
	}
	if failure := l.job.enterDir(); failure != nil {
		return failure
	}
	// What this process has in memory is nothing to the program.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return failed(tool.Internal, "The program could not be started", err)
	}
	return nil
}

// prepareFree makes of this process the parent of all that the program leaves behind.
func (l *launcher) prepareFree() *Report {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return failed(tool.NotConfigured, "Programs cannot be ended with all they start on this worker", fmt.Errorf("PR_SET_CHILD_SUBREAPER: %w", err))
	}
	if err := os.Chdir(l.job.Dir); err != nil {
		return failed(tool.NotConfigured, "The directory of the program cannot be entered", err)
	}
	return nil
}

// available says what this host lacks to confine the program.
func (l *launcher) available() error {
	version, err := landlockVersion()
	if err == nil && !l.job.Pids && version < scopedSignals {
		err = fmt.Errorf("landlock: version %d does not keep a program from signalling others; it needs Linux 6.12, or namespaces for processes and users", version)
	}
	if err == nil {
		err = listed()
	}
	return err
}

// start starts the program from a thread that has lost what the program must not
// have. The thread lives as long as the launcher: its end would be the program's.
func (l *launcher) start() *Report {
	result := make(chan *Report)
	go l.onThread(result)
	failure := <-result
	if failure != nil || l.job.Trial {
		return failure
	}
	return l.settle()
}

// onThread keeps its thread for good. The first thread is left alone: the kernel
// takes what is done to it for what is done to the process.
func (l *launcher) onThread(result chan<- *Report) {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		go l.onThread(result)
	} else {
		result <- l.exec()
	}
	select {}
}

func (l *launcher) exec() *Report {
	if !l.job.Free {
		if err := l.job.restrict(); err != nil {
			return failed(tool.NotConfigured, "Programs cannot be confined on this worker; ask its operator to look at 'helve doctor'", err)
		}
		if l.job.Trial {
			return nil
		}
		if err := l.job.limit(l.own); err != nil {
			return failed(tool.NotConfigured, "Programs cannot be confined on this worker", err)
		}
	}
	pid, err := syscall.ForkExec(l.job.File, texts(l.job.Args), &syscall.ProcAttr{ //nolint:gosec // what runs is the caller's decision
		Env:   texts(l.job.Env),
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: l.job.Terminal, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return failed(tool.ExecutionError, "The program could not be started: "+err.Error(), err)
	}
	l.pid = pid
	return nil
}

// settle does for the program what another thread must do, and lets go of its pipes.
func (l *launcher) settle() *Report {
	if l.job.Free {
		return letGo()
	}
	err := l.job.limitMemory(l.pid, l.own)
	if err != nil && !errors.Is(err, unix.ESRCH) { // it may have ended
		return failed(tool.Internal, "The program could not be started", err)
	}
	return letGo()
}

// letGo closes the standard descriptors: only the program and what it starts hold
// its pipes.
func letGo() *Report {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	for fd := 0; fd <= 2 && err == nil; fd++ {
		err = unix.Dup3(null, fd, 0)
	}
	if err != nil {
		return failed(tool.Internal, "The program could not be started", err)
	}
	return nil
}

// obey does what the worker says, and ends the program when it says nothing more.
func (l *launcher) obey(in io.ByteReader) {
	for {
		order, err := in.ReadByte()
		switch {
		case err != nil && l.job.Pids:
			unix.Exit(0) // it is the first process of its namespace, which ends with it
		case err != nil:
			l.signal(syscall.SIGKILL)
			return
		case order == Terminate:
			l.signal(syscall.SIGTERM)
		}
	}
}

// signal reaches the program's group, unless the program is gone.
func (l *launcher) signal(s syscall.Signal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.gone {
		_ = syscall.Kill(-l.pid, s)
		_ = syscall.Kill(l.pid, s)
	}
}
