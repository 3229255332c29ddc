package programs

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/ports/programs/launch"
	"github.com/helve-dev/helve/tool"
)

// sweeping is the time in which a launcher must end the processes that a program left
// behind.
const sweeping = 5 * time.Second

// start starts a program; release is called when its run is over.
func (r *runner) start(ctx context.Context, job *launch.Job, p *tool.Program, theirs [3]*os.File) (_ *running, release func(), err error) {
	if r.programs.options.Unconfined {
		run, err := r.startPlain(job, p, theirs)
		return run, func() {}, err
	}
	in, err := r.programs.space(ctx)
	if err != nil {
		return nil, nil, err
	}
	in.furnish(job)
	job.Env = launch.Bytes(r.environment(job, p, job.Home(), job.Temp()))
	return r.programs.launch(in.flags(job), job, theirs)
}

// launch starts a launcher. The kernel ends the launcher with the thread that started
// it, so the calling goroutine stays on its thread until release.
func (p *Programs) launch(flags uintptr, job *launch.Job, theirs [3]*os.File) (_ *running, release func(), err error) {
	ours, socket, err := socketpair()
	if err != nil {
		return nil, nil, busy(err)
	}
	defer socket.Close()
	cmd := &exec.Cmd{
		Path: p.options.Launcher[0], Args: append([]string{"helve"}, p.options.Launcher[1:]...), Dir: "/",
		Env:   []string{"GOMAXPROCS=2", "GOGC=off", "GOTRACEBACK=none"},
		Stdin: theirs[0], Stdout: theirs[1], Stderr: theirs[2],
		ExtraFiles:  []*os.File{socket},
		SysProcAttr: attributes(flags),
	}
	runtime.LockOSThread()
	if err := cmd.Start(); err != nil {
		runtime.UnlockOSThread()
		ours.Close()
		return nil, nil, busy(err)
	}
	l := &launched{cmd: cmd, conn: ours, job: job}
	release = func() {
		ours.Close()
		runtime.UnlockOSThread()
	}
	return &running{terminate: l.terminate, kill: l.kill, wait: l.wait}, release, nil
}

// attributes returns the attributes of a launcher. In a user namespace it keeps its
// user, and has the capabilities that building a root needs.
func attributes(flags uintptr) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true, Cloneflags: flags}
	if flags&confine.Pids != 0 {
		a.Pdeathsig = syscall.SIGKILL // otherwise it needs the time to end the others
	}
	if flags&confine.Users != 0 {
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	}
	return a
}

func busy(err error) error {
	return tool.Fail(tool.Overloaded, "The worker cannot start another program now; try again").Because(err)
}

// socketpair returns two ends. Ours is in the poller; the launcher reads its own with
// blocking calls.
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
	return os.NewFile(uintptr(fds[0]), "launcher"), os.NewFile(uintptr(fds[1]), "worker"), nil
}

// launched is a launcher as its worker sees it.
type launched struct {
	cmd  *exec.Cmd
	conn *os.File
	job  *launch.Job
}

func (l *launched) terminate() { _, _ = l.conn.Write([]byte{launch.Terminate}) }

// kill ends the launcher if everything else ends with it; otherwise it asks the
// launcher to end everything, and kills it if it does not.
func (l *launched) kill() {
	if l.job.Pids {
		_ = l.cmd.Process.Kill()
		return
	}
	raw, err := l.conn.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_WR) })
	}
	time.AfterFunc(sweeping, func() { _ = l.cmd.Process.Kill() })
}

// wait sends the job to the launcher and returns its report.
func (l *launched) wait() (syscall.WaitStatus, error) {
	line, err := json.Marshal(l.job)
	if err == nil {
		_, err = l.conn.Write(append(line, '\n'))
	}
	var last launch.Report
	reports := json.NewDecoder(bufio.NewReader(l.conn))
	for err == nil && !last.Ended && last.Kind == "" {
		err = reports.Decode(&last)
	}
	_ = l.cmd.Wait() // the launcher's own exit state says nothing about the program
	switch {
	case last.Ended, last.Started && l.job.Trial:
		return syscall.WaitStatus(last.Status), nil
	case last.Kind != "":
		return 0, tool.Fail(last.Kind, "%s", last.Msg).Because(errors.New(last.Detail))
	case !last.Started:
		return 0, tool.Fail(tool.NotConfigured,
			"Programs cannot be confined on this worker; its program must call programs.Child() first in main").Because(err)
	}
	return syscall.WaitStatus(syscall.SIGKILL), tool.Fail(tool.ExecutionError,
		"The program was ended from outside; the machine may be short of memory").Because(err)
}
