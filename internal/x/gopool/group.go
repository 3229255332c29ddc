package gopool

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Group waits for goroutines that work on the request of the goroutine that waits. The
// zero value is ready to use.
type Group struct {
	all   sync.WaitGroup
	once  sync.Once
	first *Panic
}

// Go runs f on a goroutine of its own.
func (g *Group) Go(f func()) {
	g.all.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				g.once.Do(func() { g.first = newPanic(v) })
			}
		}()
		f()
	})
}

// Wait returns when all functions have returned. It panics if one of them did: what recovers
// the panics of the waiting goroutine answers for its helpers too.
func (g *Group) Wait() {
	g.all.Wait()
	if g.first != nil {
		panic(g.first)
	}
}

// ErrGroup is an errgroup whose functions return their panics as errors.
type ErrGroup struct{ group *errgroup.Group }

// WithContext returns a group of at most limit goroutines at a time, and a context that ends
// with the first error.
func WithContext(ctx context.Context, limit int) (*ErrGroup, context.Context) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(limit)
	return &ErrGroup{g}, ctx
}

// Go runs f on a goroutine of its own, when there is room for it.
func (g *ErrGroup) Go(f func() error) { g.group.Go(func() error { return Catch(f) }) }

// Wait returns the first error when all functions have returned.
func (g *ErrGroup) Wait() error { return g.group.Wait() }
