// Package gopool runs functions on goroutines, and keeps a panic of one from ending the
// process.
//
// A new goroutine starts with a small stack, which a call's way through JSON, validation
// and NATS grows several times; measured, that copying took a seventh of a worker's CPU.
// A goroutine of a [Pool] keeps its grown stack. A pool promises no order and no
// bound: a function never waits for an idle goroutine.
//
// A panic of a goroutine that nothing recovers ends the process with every call in it, so
// bytes that a stranger sends are handled on goroutines of this package only: [Catch]
// returns a panic as the error of the request, a [Group] hands it to the goroutine that
// waits, and a pool reports it.
package gopool

import "sync"

// Pool is a set of goroutines that wait for work. The zero value is ready to use.
type Pool struct {
	// Panicked, if set, receives the panics of functions. Without it a panic is written to
	// the standard error. Set it before the pool is used.
	Panicked func(*Panic)

	mu     sync.Mutex
	idle   []chan func() // used from the end: the stack of the last one is in the cache
	closed bool
}

// maxIdle bounds the idle goroutines; others end when their function returns.
const maxIdle = 512

// Go runs f on an idle goroutine, or on a new one.
func (p *Pool) Go(f func()) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		next := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		next <- f // does not block: the channel has room for one, and an idle goroutine has none
		return
	}
	p.mu.Unlock()
	go p.work(f)
}

func (p *Pool) work(f func()) {
	next := make(chan func(), 1)
	for f != nil {
		p.run(f)
		if !p.rest(next) {
			return
		}
		f = <-next
	}
}

// run runs one function, and reports its panic.
func (p *Pool) run(f func()) {
	defer func() {
		if v := recover(); v != nil {
			report(p.Panicked, newPanic(v))
		}
	}()
	f()
}

// rest adds a goroutine to the idle ones. It reports false if the goroutine must end.
func (p *Pool) rest(next chan func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= maxIdle {
		return false
	}
	p.idle = append(p.idle, next)
	return true
}

// Close ends the idle goroutines; the others end when their function returns. Go still
// runs functions after it.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, next := range p.idle {
		close(next)
	}
	p.idle = nil
}
