package sandbox

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/sandbox/wire"
)

// child is a process as its pool sees it. Whoever serves a run with it writes and
// reads by itself: a hop to another goroutine would cost more than a short script.
type child struct {
	process
	in    *wire.Reader
	out   *wire.Writer
	log   *zap.Logger
	gone  chan struct{} // closed when the process is gone; death may be read then
	death death

	// use is held by who reads and writes: the pipes stay open that long, so what a
	// process said before it ended is not lost.
	use sync.Mutex

	// These belong to who took the child.
	tenant  string
	calls   int
	spent   time.Duration // CPU, when its last run was over
	library library

	mu     sync.Mutex
	killed bool  // the process may be gone already
	cause  error // why it was killed, if not for a reason of its run's
}

// death is what is left of a child.
type death struct {
	cause  error            // the pool's, which killed it
	state  *os.ProcessState // nil if the process could not be waited for
	stderr string           // the beginning of it
}

func newChild(p process, log *zap.Logger) *child {
	return &child{
		process: p,
		in:      wire.NewReader(p.from),
		out:     wire.NewWriter(p.to),
		log:     log,
		gone:    make(chan struct{}),
		library: library{},
	}
}

var errNoHello = errors.New("the sandbox process did not answer in time")

// settle waits until the child has locked itself down.
func (c *child) settle(l Limits, patience time.Duration) error {
	c.use.Lock()
	defer c.use.Unlock()
	c.hurry(time.Now().Add(patience))
	defer c.hurry(time.Time{})
	err := c.out.Write(wire.Frame{Setup: &wire.Setup{Memory: l.Memory, CPUSeconds: uint64(l.lifetimeCPU() / time.Second)}})
	if err != nil && !errors.Is(err, syscall.EPIPE) { // it has gone: its death says more
		return err
	}
	f, err := c.in.Read()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errNoHello
	case f.Hello != nil && f.Hello.Error == "":
		return nil
	case f.Hello != nil:
		return errors.New(clip(f.Hello.Error)) // which says that it cannot be locked down
	}
	c.condemn(err)
	<-c.gone
	return fmt.Errorf("the sandbox process ended before it was ready: %w", c.death.err())
}

// hurry bounds how long anybody reads from the child or writes to it.
func (c *child) hurry(until time.Time) {
	_ = c.from.SetDeadline(until) // fails for a child that is gone
	_ = c.to.SetDeadline(until)
}

// live waits for the child's end, and buries it.
func (c *child) live() {
	c.ends()
	c.kill(nil) // and whatever it may have started
	c.bury()
}

// kill ends the child, and whatever it may have started. The first cause counts.
func (c *child) kill(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.killed {
		c.killed, c.cause = true, cause
		c.process.kill()
	}
}

// condemn ends a child that said what it may not, or from which err came in place of
// a frame.
func (c *child) condemn(err error) {
	switch {
	case err == nil:
		c.kill(violation{errors.New("a frame that belongs to no run")})
	case errors.Is(err, wire.ErrMalformed) || errors.Is(err, wire.ErrTooLarge):
		c.kill(violation{err})
	default:
		c.kill(nil) // it is gone, or about to be: what it left says why
	}
}

// quiet says that the child has said nothing since its last run, nor ended.
func (c *child) quiet() bool { return c.in.Buffered() == 0 && !c.spoke() }

// ended says that the child is not of use any more.
func (c *child) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killed
}

func (c *child) bury() {
	state, stderr := c.wait()
	c.mu.Lock()
	c.death = death{cause: c.cause, state: state, stderr: stderr}
	c.mu.Unlock()
	close(c.gone)
	c.use.Lock()
	defer c.use.Unlock()
	c.close()
}
