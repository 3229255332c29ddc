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

	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/tool"
)

const socket = 3 // the descriptor of job and reports

// Child serves as a launcher and exits if this process was started as a launcher. It
// must be the first call in main, or TestMain.
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

// launcher is the state of a launcher.
type launcher struct {
	job     Job
	reports *json.Encoder
	own     uint64 // the memory limit of this process

	mu   sync.Mutex
	pid  int  // of the program
	gone bool // waited for: its pid may have been reused
}

func serve(conn *os.File) error {
	if err := confine.CloseOnExec(socket); err != nil {
		return err
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

// prepare makes the changes that affect the whole process.
func (l *launcher) prepare() *Report {
	if l.job.Free {
		return l.prepareFree()
	}
	if err := l.job.Available(); err != nil {
		return failureReport(tool.NotConfigured, unconfinable, err)
	}
	var err error
	if l.own, err = confine.OwnMemory(); err != nil {
		return failureReport(tool.NotConfigured, unconfinable, err)
	}
	// The kernel kills these first when memory runs out.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("900"), 0)
	if !l.job.Pids {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return failureReport(tool.NotConfigured, unconfinable, fmt.Errorf("PR_SET_CHILD_SUBREAPER: %w", err))
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
	// The program must not see this process's memory.
	if err := confine.Hide(); err != nil {
		return failureReport(tool.Internal, "The program could not be started", err)
	}
	return nil
}

// prepareFree makes this process the parent of all processes that the program leaves
// behind.
func (l *launcher) prepareFree() *Report {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return failureReport(tool.NotConfigured,
			"Programs cannot be ended with all they start on this worker; its operator runs 'helve doctor', which names what is missing",
			fmt.Errorf("PR_SET_CHILD_SUBREAPER: %w", err))
	}
	if err := os.Chdir(l.job.Dir); err != nil {
		return failureReport(tool.NotConfigured,
			"The directory of the program cannot be entered: the worker's user needs access to it (chmod u+rwx), below --data", err)
	}
	return nil
}

// start starts the program from a restricted thread. The thread must live as long as
// the launcher, because the program ends with it.
func (l *launcher) start() *Report {
	result := make(chan *Report)
	go l.onThread(result)
	failure := <-result
	if failure != nil || l.job.Trial {
		return failure
	}
	return l.settle()
}

// onThread locks its thread permanently. It does not use the first thread, because the
// kernel identifies it with the process.
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
		if err := l.job.Restrict(l.job.files); err != nil {
			return failureReport(tool.NotConfigured, unconfinable, err)
		}
		if l.job.Trial {
			return nil
		}
		if err := l.job.Limit(l.own); err != nil {
			return failureReport(tool.NotConfigured, unconfinable, err)
		}
	}
	pid, err := syscall.ForkExec(l.job.File, texts(l.job.Args), &syscall.ProcAttr{
		Env:   texts(l.job.Env),
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: l.job.Terminal, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return failureReport(tool.ExecutionError, "The program could not be started: "+err.Error(), err)
	}
	l.pid = pid
	return nil
}

// settle applies settings to the program that another thread must make, and closes its
// pipes.
func (l *launcher) settle() *Report {
	if l.job.Free {
		return closeStandard()
	}
	err := l.job.LimitMemory(l.pid, l.own)
	if err != nil && !errors.Is(err, unix.ESRCH) { // it may have ended
		return failureReport(tool.Internal, "The program could not be started", err)
	}
	return closeStandard()
}

// closeStandard closes the standard descriptors: only the program and its children hold its
// pipes.
func closeStandard() *Report {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	for fd := 0; fd <= 2 && err == nil; fd++ {
		err = unix.Dup3(null, fd, 0)
	}
	if err != nil {
		return failureReport(tool.Internal, "The program could not be started", err)
	}
	return nil
}

// obey follows the worker's instructions, and ends the program when the worker closes
// its end.
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

// signal signals the program's group, unless the program is gone.
func (l *launcher) signal(s syscall.Signal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.gone {
		_ = syscall.Kill(-l.pid, s)
		_ = syscall.Kill(l.pid, s)
	}
}
