//go:build linux

package confine

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
	"golang.org/x/sys/unix"
)

// child is a run of testprog. It has a socket as descriptor 3, a file as 4, and the
// root directory as 5.
type child struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	socket *os.File
	lines  *bufio.Scanner
	stderr strings.Builder
}

func startChild(t *testing.T, args ...string) *child {
	t.Helper()
	return startIn(t, 0, args...)
}

// startIn starts it in new namespaces, as root if one of them is for users.
func startIn(t *testing.T, namespaces uintptr, args ...string) *child {
	t.Helper()
	ours, theirs := sockets(t)
	file, dir := open(t, "/etc/passwd"), open(t, "/")
	ctx, stop := context.WithTimeout(t.Context(), testtime.Patience())
	t.Cleanup(stop)
	c := &child{cmd: exec.CommandContext(ctx, testprog, args...), socket: ours, lines: bufio.NewScanner(ours)}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces}
	if namespaces&syscall.CLONE_NEWUSER != 0 {
		c.cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
	}
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = 10 * time.Second // an orphan may hold on to standard error
	c.stdin, _ = c.cmd.StdinPipe()
	c.cmd.ExtraFiles = []*os.File{theirs, file, dir}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	return c
}

func sockets(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.SetNonblock(fds[0], true) // so that it has deadlines
	ours, theirs = os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	_ = ours.SetDeadline(time.Now().Add(testtime.Patience()))
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	return ours, theirs
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// line returns the next line of the child, "" if it ended.
func (c *child) line() string {
	c.lines.Scan()
	return c.lines.Text()
}

// end waits for the child's.
func (c *child) end() *os.ProcessState {
	_ = c.cmd.Wait()
	return c.cmd.ProcessState
}
