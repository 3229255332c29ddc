package sandbox

import (
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// namespaces are tried in this order, by bringing up a child. The first row is
// for a privileged pool, the second for one that may make user namespaces.
var namespaces = []uintptr{
	syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWPID,
	syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWPID,
	0,
}

// process is a child as the system sees it.
type process struct {
	pid    int
	handle *os.Process
	conn   *os.File // the socket of the frames
	stderr *os.File // nobody reads it before the end: its pipe is the bound
	statm  *os.File // nil if the system hides it
}

// forker starts processes. The kernel ends a child when the thread that forked it
// ends, not only when the process does, so one thread does nothing else as long
// as the pool lives.
type forker struct {
	program []string
	flags   uintptr
	orders  chan chan forked
}

type forked struct {
	process process
	err     error
}

func newForker(program []string, flags uintptr) *forker {
	f := &forker{program: program, flags: flags, orders: make(chan chan forked)}
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		for order := range f.orders {
			p, err := f.start()
			order <- forked{p, err}
		}
	}()
	return f
}

// fork must not be called after close.
func (f *forker) fork() (process, error) {
	order := make(chan forked, 1)
	f.orders <- order
	made := <-order
	return made.process, made.err
}

func (f *forker) close() { close(f.orders) }

func (f *forker) start() (process, error) {
	ours, theirs, err := socketpair()
	if err != nil {
		return process{}, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		ours.Close()
		return process{}, err
	}
	defer null.Close()
	stderr, errors, err := os.Pipe()
	if err != nil {
		ours.Close()
		return process{}, err
	}
	defer errors.Close()
	handle, err := os.StartProcess(f.program[0], f.program, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{"GOMAXPROCS=2", "GOTRACEBACK=none"},
		Files: []*os.File{null, null, errors, theirs},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: f.flags},
	})
	if err != nil {
		ours.Close()
		stderr.Close()
		return process{}, err
	}
	p := process{pid: handle.Pid, handle: handle, conn: ours, stderr: stderr}
	p.statm = openStatm(p.pid)
	return p, nil
}

// socketpair returns two ends. Ours is given to the poller, so that it has
// deadlines; the child reads its own with plain calls.
func socketpair() (ours, theirs *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		syscall.Close(fds[0])
		syscall.Close(fds[1])
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fds[0]), "sandbox"), os.NewFile(uintptr(fds[1]), "pool"), nil
}

// kill ends the process and its group. It must not be called after wait, when
// the number may be another's.
func (p *process) kill() {
	_ = syscall.Kill(-p.pid, syscall.SIGKILL) // not yet a group of its own, or no process any more
	_ = p.handle.Kill()
}

// wait returns what is left of a killed process, and lets go of it.
func (p *process) wait() (state *os.ProcessState, stderr string) {
	p.conn.Close()
	if p.statm != nil {
		defer p.statm.Close()
	}
	defer p.stderr.Close()
	state, _ = p.handle.Wait()
	const patience = 100 * time.Millisecond // whatever holds the other end
	_ = p.stderr.SetReadDeadline(time.Now().Add(patience))
	text, _ := io.ReadAll(io.LimitReader(p.stderr, maxStderr))
	return state, string(text)
}

// cpu is the time that the process has used in all its life. It is the kernel's
// figure: the process cannot lie about it.
func (p *process) cpu() time.Duration {
	const processClock = 2 // CPUCLOCK_SCHED of a whole process
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^p.pid<<3|processClock), &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
