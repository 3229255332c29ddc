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

// warm is the maximum number of unused children that are kept ready.
const warm = 4

// settle bounds the time in which a child must confine itself. That takes some
// milliseconds; a host may be slow.
const settle = 10 * time.Second

var errClosed = errors.New("the sandbox pool is closed")

// spawner starts children and tracks those that run.
type spawner struct {
	forker *forker
	limits Limits
	log    *zap.Logger
	warm   int

	mu       sync.Mutex
	ready    []*childProcess
	waiting  []chan spawned // each has room for one
	expected int            // children being started
	all      map[*childProcess]struct{}
	closed   bool
	work     sync.WaitGroup
}

// spawned is a new child, or the reason why there is none.
type spawned struct {
	child *childProcess
	err   error
}

// newSpawner starts the first child, with as many namespaces as the host allows.
func newSpawner(program []string, limits Limits, ready int, log *zap.Logger) (*spawner, error) {
	s := &spawner{limits: limits, log: log, warm: ready, all: map[*childProcess]struct{}{}}
	var refusal error
	for _, flags := range namespaces {
		s.forker = newForker(program, flags)
		c, err := s.spawn()
		if err == nil {
			log.Info("sandbox ready", zap.Bool("namespaces", flags != 0))
			s.mu.Lock()
			defer s.mu.Unlock()
			s.hand(spawned{child: c})
			s.refill()
			return s, nil
		}
		s.work.Wait()
		s.forker.close()
		refusal = err
	}
	return nil, refusal // of a child without namespaces
}

// take returns an unused child.
func (s *spawner) take(ctx context.Context) (*childProcess, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	s.ready = slices.DeleteFunc(s.ready, (*childProcess).ended)
	if len(s.ready) > 0 {
		c := s.ready[0]
		s.ready = slices.Delete(s.ready, 0, 1)
		s.refill()
		return c, nil
	}
	turn := make(chan spawned, 1)
	s.waiting = append(s.waiting, turn)
	s.refill()
	s.mu.Unlock()
	select {
	case b := <-turn:
		s.mu.Lock()
		return b.child, b.err
	case <-ctx.Done():
		s.mu.Lock()
		s.cancelTurn(turn)
		return nil, ctx.Err()
	}
}

// cancelTurn removes a waiting take. A child that it has already received goes to the next
// one.
func (s *spawner) cancelTurn(turn chan spawned) {
	s.waiting = slices.DeleteFunc(s.waiting, func(w chan spawned) bool { return w == turn })
	select {
	case b := <-turn:
		s.hand(b)
	default:
	}
}

// refill starts the missing children.
func (s *spawner) refill() {
	for !s.closed && s.expected+len(s.ready) < s.warm+len(s.waiting) {
		s.expected++
		s.work.Go(s.add)
	}
}

func (s *spawner) add() {
	c, err := s.spawn()
	if err != nil {
		s.log.Warn("sandbox process not started", zap.Error(err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expected--
	s.hand(spawned{child: c, err: err})
}

// hand passes a child to the longest waiting take. If none waits, the child is kept ready,
// and a failure is dropped: the next take tries again.
func (s *spawner) hand(b spawned) {
	switch {
	case len(s.waiting) > 0:
		s.waiting[0] <- b
		s.waiting = s.waiting[1:]
	case b.err == nil:
		s.ready = append(s.ready, b.child)
	}
}

// spawn forks a child and waits until it has confined itself.
func (s *spawner) spawn() (*childProcess, error) {
	p, err := s.forker.fork()
	if err != nil {
		return nil, fmt.Errorf("a sandbox process cannot be started: %w", err)
	}
	c := newChild(p, s.log)
	s.track(c)
	if err := c.settle(s.limits, settle); err != nil {
		c.kill(nil)
		return nil, err
	}
	return c, nil
}

// track counts a child as running until it has ended.
func (s *spawner) track(c *childProcess) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[c] = struct{}{}
	s.work.Go(func() {
		c.reap()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.all, c)
	})
	if s.closed {
		c.kill(errClosed)
	}
}

func (s *spawner) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = slices.DeleteFunc(s.ready, (*childProcess).ended)
	return len(s.ready)
}

// close ends all children and waits for them.
func (s *spawner) close() {
	s.mu.Lock()
	s.closed = true
	for c := range s.all {
		c.kill(errClosed)
	}
	s.mu.Unlock()
	s.work.Wait()
	s.forker.close()
}
