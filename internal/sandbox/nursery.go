package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
)

// warm is how many children that served nobody are kept ready, at most.
const warm = 4

// settle is how long a child may take to lock itself down. It takes some
// milliseconds; a host may be slow.
const settle = 10 * time.Second

var errClosed = errors.New("the sandbox pool is closed")

// nursery makes children, and knows all that live.
type nursery struct {
	forker *forker
	limits Limits
	log    *zap.Logger
	warm   int

	mu       sync.Mutex
	ready    []*child
	waiting  []chan birth // each has room for one
	expected int          // children on their way
	all      map[*child]struct{}
	closed   bool
	work     sync.WaitGroup
}

type birth struct {
	child *child
	err   error
}

// newNursery brings up the first child, with as many namespaces as the host
// allows.
func newNursery(program []string, limits Limits, ready int, log *zap.Logger) (*nursery, error) {
	n := &nursery{limits: limits, log: log, warm: ready, all: map[*child]struct{}{}}
	var refusal error
	for _, flags := range namespaces {
		n.forker = newForker(program, flags)
		c, err := n.bear()
		if err == nil {
			log.Info("the sandbox is ready", zap.Bool("namespaces", flags != 0))
			n.mu.Lock()
			defer n.mu.Unlock()
			n.hand(birth{child: c})
			n.refill()
			return n, nil
		}
		n.work.Wait()
		n.forker.close()
		refusal = err
	}
	return nil, refusal // that of the plainest child
}

// take returns a child that served nobody.
func (n *nursery) take(ctx context.Context) (*child, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, errClosed
	}
	n.ready = slices.DeleteFunc(n.ready, (*child).ended)
	if len(n.ready) > 0 {
		c := n.ready[0]
		n.ready = slices.Delete(n.ready, 0, 1)
		n.refill()
		return c, nil
	}
	turn := make(chan birth, 1)
	n.waiting = append(n.waiting, turn)
	n.refill()
	n.mu.Unlock()
	select {
	case b := <-turn:
		n.mu.Lock()
		return b.child, b.err
	case <-ctx.Done():
		n.mu.Lock()
		n.leave(turn)
		return nil, ctx.Err()
	}
}

// leave ends a wait. A child that just came is for the next one.
func (n *nursery) leave(turn chan birth) {
	n.waiting = slices.DeleteFunc(n.waiting, func(w chan birth) bool { return w == turn })
	select {
	case b := <-turn:
		n.hand(b)
	default:
	}
}

// refill starts as many children as are missing.
func (n *nursery) refill() {
	for !n.closed && n.expected+len(n.ready) < n.warm+len(n.waiting) {
		n.expected++
		n.work.Go(n.deliver)
	}
}

func (n *nursery) deliver() {
	c, err := n.bear()
	if err != nil {
		n.log.Warn("a sandbox could not be started", zap.Error(err))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.expected--
	n.hand(birth{child: c, err: err})
}

// hand gives a birth to who waits longest. If nobody does, a child is kept, and
// a failure forgotten: the next one who comes tries again.
func (n *nursery) hand(b birth) {
	switch {
	case len(n.waiting) > 0:
		n.waiting[0] <- b
		n.waiting = n.waiting[1:]
	case b.err == nil:
		n.ready = append(n.ready, b.child)
	}
}

// bear forks a child and waits until it is locked down.
func (n *nursery) bear() (*child, error) {
	p, err := n.forker.fork()
	if err != nil {
		return nil, fmt.Errorf("a sandbox process cannot be started: %w", err)
	}
	c := newChild(p, n.log)
	n.adopt(c)
	if err := c.settle(n.limits, settle); err != nil {
		c.kill(nil)
		return nil, err
	}
	return c, nil
}

// adopt follows a child until it has ended.
func (n *nursery) adopt(c *child) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all[c] = struct{}{}
	n.work.Go(func() {
		c.live()
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.all, c)
	})
	if n.closed {
		c.kill(errClosed)
	}
}

func (n *nursery) len() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ready = slices.DeleteFunc(n.ready, (*child).ended)
	return len(n.ready)
}

// close ends all children and waits for them.
func (n *nursery) close() {
	n.mu.Lock()
	n.closed = true
	for c := range n.all {
		c.kill(errClosed)
	}
	n.mu.Unlock()
	n.work.Wait()
	n.forker.close()
}
