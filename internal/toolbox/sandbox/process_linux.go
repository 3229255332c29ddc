package sandbox

import (
	"errors"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/ports/confine"
)

// namespaces are tried in this order, by starting a child. The first row is for a
// privileged pool, the second for a pool that may make user namespaces.
var namespaces = []uintptr{
	confine.Apart,
	confine.Users | confine.Apart,
	0,
}

// process is a child as the system represents it.
type process struct {
	pid    int
	handle *os.Process
	life   *os.File // the process as a descriptor, which is readable when the process has ended
	from   *os.File // the pipe of the child's output
	to     *os.File // the pipe of the child's input
	stderr *os.File // read at the end only: the size of its pipe is the bound
	statm  *os.File // nil if the system does not provide it
	nice   int      // the niceness at its start
	// regains reports whether the niceness can be lowered to that value again.
	regains bool
}

// forker starts processes. The kernel ends a child when the thread that forked it ends, not
// only when the process does, so one thread is reserved for it during the life of the pool.
type forker struct {
	program []string
	flags   uintptr
	orders  chan chan forked
	nice    int  // of the children
	regains bool // this process may lower the niceness of a child
}

// niceness gives the worker precedence over scripts on a busy processor. Children stay in
// the session of the worker: if the kernel groups processes by session, niceness has no
// effect between sessions.
const (
	niceness = 5
)

// giveWay lowers the priority of this thread, and thereby of the children it will fork. It
// returns their niceness, and whether this process may lower it again.
func giveWay() (nice int, regains bool) {
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // 20 less the niceness
	if err != nil {
		return niceness, false
	}
	nice = min(20-raw+niceness, nicest)
	if nice < nicest {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, nice+1) // permitted to every process
	}
	if unix.Setpriority(unix.PRIO_PROCESS, 0, nice) != nil {
		return nice + 1, false
	}
	return nice, true
}

// setNice sets the niceness of all threads of the process. It reports whether it was set:
// every process may raise it, but only a privileged one may lower it.
func (p *process) setNice(nice int) bool { return unix.Setpriority(unix.PRIO_PGRP, p.pid, nice) == nil }

type forked struct {
	process process
	err     error
}

func newForker(program []string, flags uintptr) *forker {
	f := &forker{program: program, flags: flags, orders: make(chan chan forked)}
	go func() {
		runtime.LockOSThread() // permanently: the thread ends with the goroutine
		f.nice, f.regains = giveWay()
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
		Env:   []string{"GOMAXPROCS=2", "GOGC=off", "GOTRACEBACK=none"}, // the child enables its collector
		Files: []*os.File{null, null, theirs.stderr, theirs.orders, theirs.answers},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: f.flags, PidFD: &life},
	})
	if err != nil {
		ours.close()
		return process{}, err
	}
	p := process{pid: handle.Pid, handle: handle, from: ours.answers, to: ours.orders, stderr: ours.stderr, nice: f.nice, regains: f.regains}
	if life < 0 {
		p.kill()
		p.wait()
		p.close()
		return process{}, errOldKernel
	}
	_ = syscall.SetNonblock(life, true) // for the poller; cannot fail for an open descriptor
	p.life = os.NewFile(uintptr(life), "life")
	p.statm = openStatm(p.pid)
	return p, nil
}

var errOldKernel = errors.New("this kernel gives no descriptor of a process; Linux 5.13 or later is needed")

// kill ends the process and its group. It must not be called after wait, when the number
// may belong to another process.
func (p *process) kill() {
	_ = syscall.Kill(-p.pid, syscall.SIGKILL) // not yet a group of its own, or already ended
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

// spoke reports whether the process has sent unread data, or has ended.
func (p *process) spoke() bool {
	from, err := p.from.SyscallConn()
	if err != nil {
		return true
	}
	something := false
	err = from.Control(func(fd uintptr) { something = ready(fd) })
	return something || err != nil
}

// ready reports whether a read from the descriptor would return immediately, with data, the
// end or an error.
func ready(fd uintptr) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		if err != unix.EINTR {
			return n != 0
		}
	}
}

// wait returns the exit state and the standard error of a process that was killed.
func (p *process) wait() (state *os.ProcessState, stderr string) {
	state, _ = p.handle.Wait()
	const patience = 100 * time.Millisecond // for other holders of the pipe
	_ = p.stderr.SetReadDeadline(time.Now().Add(patience))
	text, _ := io.ReadAll(io.LimitReader(p.stderr, maxStderr))
	return state, string(text)
}

// close releases the resources of the process.
func (p *process) close() {
	for _, f := range []*os.File{p.life, p.from, p.to, p.stderr, p.statm} {
		_ = f.Close() // nothing is buffered; nil is an error
	}
}

// cpu returns the CPU time used by the process since its start. It comes from the kernel:
// the process cannot forge it.
func (p *process) cpu() time.Duration {
	const processClock = 2 // CPUCLOCK_SCHED of a whole process
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^p.pid<<3|processClock), &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
