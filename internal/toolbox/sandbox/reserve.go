package sandbox

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/helve-dev/helve/tool"
)

// Slot is a slot that was reserved before its run.
type Slot struct {
	pool  *Pool
	depth int
	who   holder
	used  atomic.Bool
}

// slotKey is the key of a *Slot in a context.
type slotKey struct{}

// With returns a context with which [Pool.Run] uses the slot, once.
func (s *Slot) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, slotKey{}, s)
}

// Release frees a slot that no run has used.
func (s *Slot) Release() {
	if s.take() && s.pool != nil {
		s.pool.slots.release(s.depth, s.who)
	}
}

// take reports whether the slot was neither used nor released, and marks it as used.
func (s *Slot) take() bool { return s.used.CompareAndSwap(false, true) }

// Reserve waits for a slot for a run of the user at that depth, at most for [Room] or until
// ctx ends. The error is a *tool.Error: overloaded if there was no slot in time, otherwise
// the error for the end of ctx.
func (p *Pool) Reserve(ctx context.Context, tenant, user string, depth int) (*Slot, error) {
	if depth < 0 || depth >= len(p.slots) {
		return &Slot{}, nil // Run refuses it
	}
	s := &Slot{pool: p, depth: depth, who: holder{tenant, user}}
	if err := p.enter(ctx, depth, s.who); err != nil {
		return nil, err
	}
	return s, nil
}

// enterReserved uses the reserved slot of a run, or waits for a slot.
func (p *Pool) enterReserved(ctx context.Context, depth int, who holder) error {
	if s, ok := ctx.Value(slotKey{}).(*Slot); ok && s.pool == p && s.depth == depth && s.who == who && s.take() {
		return nil
	}
	return p.enter(ctx, depth, who)
}

// enter waits for a slot for as long as a waiting run may still begin.
func (p *Pool) enter(ctx context.Context, depth int, who holder) error {
	within, cancel := context.WithTimeout(ctx, room(ctx))
	defer cancel()
	err := p.slots.take(within, depth, who)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return gone(ctx)
	}
	return tool.Fail(tool.Overloaded, "the script was not started: all sandboxes that this user may have are busy; "+
		"try again later, or run fewer scripts concurrently").Because(err)
}
