package sandbox

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
)

// childProcess is a process of the pool. The goroutine that serves a run writes to it and
// reads from it: a switch to another goroutine would cost more than a short script.
type childProcess struct {
	process
	in   *wire.Reader
	out  *wire.Writer
	log  *zap.Logger
	gone chan struct{} // closed when the process has ended and exit is set
	exit exit

	// use is held to read and to write: the pipes stay open for that time, so that the
	// last output of a process is not lost.
	use sync.Mutex

	// The fields below belong to the goroutine that took the child.
	tenant  string
	calls   int
	spent   time.Duration // CPU time at the end of its last run
	slow    bool          // it keeps the lowest priority until it ends
	library library

	mu     sync.Mutex
	killed bool  // the process may have ended already
	cause  error // why the pool killed it, if not because of its run
}

// exit is the end of a child.
type exit struct {
	cause  error            // why the pool killed it
	state  *os.ProcessState // nil if the process could not be waited for
	stderr string           // its beginning
}

func newChild(p process, log *zap.Logger) *childProcess {
	return &childProcess{
		process: p,
		in:      wire.NewReader(p.from),
		out:     wire.NewWriter(p.to),
		log:     log,
		gone:    make(chan struct{}),
		library: library{},
	}
}

var errNoHello = errors.New("the sandbox process did not answer in time")

// settle waits until the child has confined itself.
func (c *childProcess) settle(l Limits, patience time.Duration) error {
	c.use.Lock()
	defer c.use.Unlock()
	c.setDeadline(time.Now().Add(patience))
	defer c.setDeadline(time.Time{})
	err := c.out.Write(wire.Frame{Setup: &wire.Setup{Memory: l.Memory, CPUSeconds: uint64(l.lifetimeCPU() / time.Second)}})
	if err != nil && !errors.Is(err, syscall.EPIPE) { // it has ended: its exit has more detail
		return err
	}
	f, err := c.in.Read()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errNoHello
	case f.Hello != nil && f.Hello.Error == "":
		return nil
	case f.Hello != nil:
		return errors.New(clip(f.Hello.Error)) // the reason why it cannot be confined
	}
	c.killFor(err)
	<-c.gone
	return fmt.Errorf("the sandbox process ended before it was ready: %w", c.exit.err())
}

// setDeadline bounds the reads from the child and the writes to it.
func (c *childProcess) setDeadline(until time.Time) {
	_ = c.from.SetDeadline(until) // fails for a child that has ended
	_ = c.to.SetDeadline(until)
}

// reap waits until the child has ended and releases its resources.
func (c *childProcess) reap() {
	c.ends()
	c.kill(nil) // with the processes it may have started
	c.release()
}

// kill ends the child and the processes it may have started. The first cause counts.
func (c *childProcess) kill(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.killed {
		c.killed, c.cause = true, cause
		c.process.kill()
	}
}

// setNice sets the niceness of a child that has not ended; afterwards its process ID may
// be another's. It reports whether the niceness was set.
func (c *childProcess) setNice(nice int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.killed && c.process.setNice(nice)
}

// killFor ends a child after a read that returned err, or after a forbidden frame if err is
// nil.
func (c *childProcess) killFor(err error) {
	switch {
	case err == nil:
		c.kill(violation{errors.New("a frame that belongs to no run")})
	case errors.Is(err, wire.ErrMalformed) || errors.Is(err, wire.ErrTooLarge):
		c.kill(violation{err})
	default:
		c.kill(nil) // it has ended, or is about to: its exit has the reason
	}
}

// quiet reports whether the child has written nothing since its last run and has not ended.
func (c *childProcess) quiet() bool { return c.in.Buffered() == 0 && !c.spoke() }

// ended reports whether the child can no longer be used.
func (c *childProcess) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killed
}

// release stores the exit of the process and closes its pipes.
func (c *childProcess) release() {
	state, stderr := c.wait()
	c.mu.Lock()
	c.exit = exit{cause: c.cause, state: state, stderr: stderr}
	c.mu.Unlock()
	close(c.gone)
	c.use.Lock()
	defer c.use.Unlock()
	c.close()
}
