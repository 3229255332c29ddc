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

// child is a process as its pool sees it. One goroutine reads what it sends, all
// its life long, so that its end is noticed when it comes.
type child struct {
	process
	in    *wire.Reader
	out   *wire.Writer
	log   *zap.Logger
	hello chan wire.Hello
	gone  chan struct{} // closed when the process is gone; death may be read then
	death death

	// These belong to who took the child.
	tenant  string
	calls   int
	spent   time.Duration // CPU, when its last run was over
	library library

	mu     sync.Mutex
	run    *run  // nil between two
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
		in:      wire.NewReader(p.conn),
		out:     wire.NewWriter(p.conn),
		log:     log,
		hello:   make(chan wire.Hello, 1),
		gone:    make(chan struct{}),
		library: library{},
	}
}

var errNoHello = errors.New("the sandbox process did not answer in time")

// settle waits until the child has locked itself down.
func (c *child) settle(l Limits, patience time.Duration) error {
	err := c.out.Write(wire.Frame{Setup: &wire.Setup{Memory: l.Memory, CPUSeconds: uint64(l.lifetimeCPU() / time.Second)}})
	if err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) { // it has gone: its death says more
		return err
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case hello := <-c.hello:
		if hello.Error != "" {
			return errors.New(clip(hello.Error)) // which says that it cannot be locked down
		}
		return nil
	case <-c.gone:
		return fmt.Errorf("the sandbox process ended before it was ready: %w", c.death.err())
	case <-timer.C:
		return errNoHello
	}
}

// live reads what the child sends until it ends, and buries it.
func (c *child) live() {
	greeted := false
	for {
		f, err := c.in.Read()
		switch {
		case errors.Is(err, wire.ErrMalformed) || errors.Is(err, wire.ErrTooLarge):
			c.kill(violation{err})
		case err != nil:
			c.kill(nil)
		case f.Hello != nil && !greeted:
			greeted = true
			c.hello <- *f.Hello
			continue
		default:
			if err = c.handle(f); err == nil {
				continue
			}
			c.kill(violation{err})
		}
		c.bury()
		return
	}
}

// handle deals with what a run's child may send.
func (c *child) handle(f wire.Frame) error {
	c.mu.Lock()
	r := c.run
	if f.Done != nil {
		c.run = nil
	}
	c.mu.Unlock()
	switch {
	case f.Ask != nil && r != nil && f.Ask.Run == r.id:
		r.ask(*f.Ask)
	case f.Done != nil && r != nil && f.Done.Run == r.id:
		r.done <- *f.Done // has room, and there is only one
	default:
		return errors.New("a frame that belongs to no run")
	}
	return nil
}

func (c *child) begin(r *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.run = r
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

// ended says that the child is not of use any more.
func (c *child) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killed
}

func (c *child) bury() {
	state, stderr := c.process.wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.death = death{cause: c.cause, state: state, stderr: stderr}
	close(c.gone)
}
