package sandbox

import (
	"os"
	"syscall"
)

// pipes are the ends of one process. They are pipes and not a socket, because reading from
// a socket also wakes the waiting goroutine at the other end: that took as long as a short
// script.
type pipes struct{ orders, answers, stderr *os.File }

// connect opens both ends. They are set even if it fails, so that they can be closed.
func connect(ours, theirs *pipes) (err error) {
	if theirs.orders, ours.orders, err = pipe(1); err != nil {
		return err
	}
	if ours.answers, theirs.answers, err = pipe(0); err != nil {
		return err
	}
	ours.stderr, theirs.stderr, err = pipe(0)
	return err
}

// pipe returns the end to read from and the end to write to. The end with the index our
// belongs to this process and to the poller, so that it has deadlines. The other one is
// used with plain calls.
func pipe(our int) (read, write *os.File, err error) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	_ = syscall.SetNonblock(fds[our], true) // cannot fail for an open descriptor
	return os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe"), nil
}

func (p *pipes) close() {
	for _, f := range []*os.File{p.orders, p.answers, p.stderr} {
		_ = f.Close() // nil is an error
	}
}
