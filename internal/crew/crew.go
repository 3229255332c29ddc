// Package crew runs short functions on goroutines that are used again.
//
// A fresh goroutine starts with a small stack, and a call's way through JSON,
// validation and NATS grows it several times; measured, that copying was a
// seventh of a worker's time. A crew member keeps the stack it has grown. The
// package promises no order and no bound: a function never waits for a free
// member.
package crew

import "sync"

// Crew is a set of goroutines that wait for work. The zero value is ready.
type Crew struct {
	mu     sync.Mutex
	idle   []chan func() // the last one idle is the first to work: its stack is in the cache
	closed bool
}

// spare is how many members may wait for work; more end when theirs is done.
const spare = 512

// Go runs f on a waiting member, or on a new one.
func (c *Crew) Go(f func()) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		member := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		member <- f // has room: a member in the list has no work
		return
	}
	c.mu.Unlock()
	go c.work(f)
}

func (c *Crew) work(f func()) {
	next := make(chan func(), 1)
	for f != nil {
		f()
		if !c.rest(next) {
			return
		}
		f = <-next
	}
}

// rest puts a member on the list of those who wait.
func (c *Crew) rest(member chan func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.idle) >= spare {
		return false
	}
	c.idle = append(c.idle, member)
	return true
}

// Close ends the waiting members; those at work end when they are done. Go
// still runs functions after it.
func (c *Crew) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, member := range c.idle {
		close(member)
	}
	c.idle = nil
}
