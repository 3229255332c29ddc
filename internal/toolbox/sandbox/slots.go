package sandbox

import (
	"context"
	"slices"
	"sync"

	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
)

// slots bound the number of concurrent runs, for each depth separately. A run holds a slot
// of its depth and waits, through the calls it makes, only for slots of the next depth; the
// deepest runs wait for none. So scripts that call each other cannot deadlock.
type slots []*level

func newSlots(n int) slots {
	s := slots{newLevel(n)}
	for len(s) <= permission.MaxDepth {
		s = append(s, newLevel(max(2, n/2)))
	}
	return s
}

// take waits for a slot, or for the end of ctx.
func (s slots) take(ctx context.Context, depth int, who holder) error {
	return s[depth].take(ctx, who)
}

func (s slots) release(depth int, who holder) { s[depth].release(who) }

func (s slots) taken() int {
	n := 0
	for _, l := range s {
		n += l.taken()
	}
	return n
}

// holder is the user of a tenant that owns a run.
type holder struct{ tenant, user string }

// level holds the slots of one depth. A tenant never takes all of them, nor a user all that
// its tenant may take: a quarter of each is left to others. A released slot goes to the
// tenant that holds the fewest, and within it to the user that holds the fewest.
type level struct {
	size, ofTenant, ofUser int

	mu      sync.Mutex
	free    int
	tenants map[string]int // slots held by each tenant; without entries of zero
	users   map[holder]int
	waiting []*waiter // in order of arrival
}

type waiter struct {
	who  holder
	turn chan struct{} // closed when the slot is assigned
}

func newLevel(n int) *level {
	ofTenant := mostOf(n)
	return &level{size: n, ofTenant: ofTenant, ofUser: mostOf(ofTenant), free: n, tenants: map[string]int{}, users: map[holder]int{}}
}

// mostOf returns the share of n that one of several holders may take.
func mostOf(n int) int { return max(1, n-max(1, n/4)) }

func (l *level) take(ctx context.Context, who holder) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	if l.fits(who) { // a holder that waits does not fit
		l.hold(who)
		l.mu.Unlock()
		return nil
	}
	w := &waiter{who, make(chan struct{})}
	l.waiting = append(l.waiting, w)
	l.mu.Unlock()
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
		l.leave(w)
		return ctx.Err()
	}
}

func (l *level) fits(who holder) bool {
	return l.free > 0 && l.tenants[who.tenant] < l.ofTenant && l.users[who] < l.ofUser
}

func (l *level) hold(who holder) {
	l.free--
	l.tenants[who.tenant]++
	l.users[who]++
}

func (l *level) release(who holder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.giveBack(who)
}

// giveBack frees a slot and assigns it to the next waiter.
func (l *level) giveBack(who holder) {
	l.free++
	if l.users[who]--; l.users[who] == 0 {
		delete(l.users, who)
	}
	if l.tenants[who.tenant]--; l.tenants[who.tenant] == 0 {
		delete(l.tenants, who.tenant)
	}
	if w := l.next(); w != nil {
		l.hold(w.who)
		l.forget(w)
		close(w.turn)
	}
}

// next returns the waiter to serve next, or nil if none may have a slot.
func (l *level) next() *waiter {
	var best *waiter
	for _, w := range l.waiting {
		if l.fits(w.who) && (best == nil || l.poorer(w.who, best.who)) {
			best = w
		}
	}
	return best
}

// poorer reports whether a comes before b, which has waited longer.
func (l *level) poorer(a, b holder) bool {
	if x, y := l.tenants[a.tenant], l.tenants[b.tenant]; x != y {
		return x < y
	}
	return l.users[a] < l.users[b]
}

func (l *level) forget(w *waiter) {
	l.waiting = slices.DeleteFunc(l.waiting, func(o *waiter) bool { return o == w })
}

// leave ends a wait. A slot that was assigned meanwhile is passed on.
func (l *level) leave(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.turn:
		l.giveBack(w.who)
	default:
		l.forget(w)
	}
}

func (l *level) taken() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size - l.free
}
