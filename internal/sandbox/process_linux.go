package sandbox

import (
	"errors"
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
	life   *os.File // the process as a descriptor: it can be read from when it has ended
	from   *os.File // the pipe of what it sends
	to     *os.File // that of what it is sent
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
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return process{}, err
	}
	defer null.Close()
	var ours, theirs pipes
	defer theirs.close()
	if err := connect(&ours, &theirs); err != nil {
		ours.close()
		return process{}, err
	}
	var life int
	handle, err := os.StartProcess(f.program[0], f.program, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{"GOMAXPROCS=2", "GOGC=off", "GOTRACEBACK=none"}, // the child turns its collector on
		Files: []*os.File{null, null, theirs.stderr, theirs.orders, theirs.answers},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: f.flags, PidFD: &life},
	})
	if err != nil {
		ours.close()
		return process{}, err
	}
	p := process{pid: handle.Pid, handle: handle, from: ours.answers, to: ours.orders, stderr: ours.stderr}
	if life < 0 {
		p.kill()
		p.wait()
		p.close()
		return process{}, errOldKernel
	}
	_ = syscall.SetNonblock(life, true) // for the poller; fails for no descriptor that is open
	p.life = os.NewFile(uintptr(life), "life")
	p.statm = openStatm(p.pid)
	return p, nil
}

var errOldKernel = errors.New("this kernel gives no descriptor of a process; Linux 5.13 or later is needed")

// kill ends the process and its group. It must not be called after wait, when
// the number may be another's.
func (p *process) kill() {
	_ = syscall.Kill(-p.pid, syscall.SIGKILL) // not yet a group of its own, or no process any more
	_ = p.handle.Kill()
}

// ends waits until the process has ended, whether it was killed or not.
func (p *process) ends() {
	life, err := p.life.SyscallConn()
	if err != nil {
		return
	}
	_ = life.Read(ready)
}

// spoke says that the process has sent what nobody has read yet, or has ended.
func (p *process) spoke() bool {
	from, err := p.from.SyscallConn()
	if err != nil {
		return true
	}
	something := false
	err = from.Control(func(fd uintptr) { something = ready(fd) })
	return something || err != nil
}

// ready says whether to read from the descriptor would yield something: be it the
// end, or an error.
func ready(fd uintptr) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		if err != unix.EINTR {
			return n != 0
		}
	}
}

// wait returns what is left of a process that was killed.
func (p *process) wait() (state *os.ProcessState, stderr string) {
	state, _ = p.handle.Wait()
	const patience = 100 * time.Millisecond // whatever holds the other end
	_ = p.stderr.SetReadDeadline(time.Now().Add(patience))
	text, _ := io.ReadAll(io.LimitReader(p.stderr, maxStderr))
	return state, string(text)
}

// close lets go of the process.
func (p *process) close() {
	for _, f := range []*os.File{p.life, p.from, p.to, p.stderr, p.statm} {
		_ = f.Close() // nothing is buffered; nil is an error
	}
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
