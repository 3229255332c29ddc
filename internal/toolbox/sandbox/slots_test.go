package sandbox

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
)

func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, late := newSlots(6), holder{tenant: "late"}
		for depth, n := range []int{6, 3, 3, 3} {
			for i := range n {
				if err := s.take(t.Context(), depth, holder{tenant: strconv.Itoa(i)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if s.taken() != 15 {
			t.Errorf("%d are taken, want 15", s.taken())
		}
		got := make(chan error)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { got <- s.take(ctx, 1, late) }()
		synctest.Wait()
		cancel(nil)
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Errorf("take = %v, want the end of the context", err)
		}
		go func() { got <- s.take(t.Context(), 1, late) }()
		synctest.Wait()
		s.release(1, holder{tenant: "0"})
		if err := <-got; err != nil {
			t.Errorf("take = %v, want the slot that was released", err)
		}
		s.release(1, holder{tenant: "1"})
		if err := s.take(ctx, 1, late); err == nil {
			t.Error("take gave a slot to who has no time left")
		}
	})
	if few := newSlots(1); len(few) != permission.MaxDepth+1 || few[permission.MaxDepth].size != 2 {
		t.Errorf("newSlots(1) = %d depths, %d slots in the last", len(few), few[permission.MaxDepth].size)
	}
}

// takes starts n concurrent waits for a slot.
func takes(ctx context.Context, s slots, n int, who holder) chan error {
	got := make(chan error, n)
	for range n {
		go func() { got <- s.take(ctx, 0, who) }()
	}
	synctest.Wait()
	return got
}

// TestSharesOfSlots: however many slots one tenant or one user requests, others find a
// slot.
func TestSharesOfSlots(t *testing.T) {
	for name, tt := range map[string]struct {
		greedy, others []holder
		want           int // slots of 8 that the greedy one holds
	}{
		"one user":          {[]holder{{"t", "greedy"}}, []holder{{"t", "a"}, {"b", "b"}, {"c", "c"}}, 5},
		"users of a tenant": {[]holder{{"t", "u1"}, {"t", "u2"}, {"t", "u3"}}, []holder{{"a", "a"}, {"b", "b"}}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSlots(8)
				ctx, cancel := context.WithCancel(t.Context())
				held := map[holder]int{}
				for _, who := range tt.greedy {
					held[who] = len(takes(ctx, s, 20, who))
				}
				if s.taken() != tt.want {
					t.Errorf("%v have %d of 8 slots, want %d", tt.greedy, s.taken(), tt.want)
				}
				for _, who := range tt.others {
					if err := s.take(ctx, 0, who); err != nil {
						t.Errorf("%s found no slot: %v", who, err)
					}
					held[who]++
				}
				cancel()
				synctest.Wait()
				for who, n := range held {
					for range n {
						s.release(0, who)
					}
				}
				if l := s[0]; s.taken() != 0 || len(l.tenants)+len(l.users)+len(l.waiting) != 0 {
					t.Errorf("%d slots are taken and %v, %v, %v remembered, want none", s.taken(), l.tenants, l.users, l.waiting)
				}
			})
		})
	}
}

// TestASlotGoesToThePoorest: a later waiter without a slot comes before earlier waiters
// with slots.
func TestASlotGoesToThePoorest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(8)
		ctx, cancel := context.WithCancel(t.Context())
		rich, other, poor := holder{"t", "rich"}, holder{"t", "other"}, holder{"t", "poor"}
		takes(ctx, s, 20, rich)
		takes(ctx, s, 20, other)
		got := takes(ctx, s, 1, poor)
		if len(got) != 0 || s.taken() != 6 {
			t.Fatalf("of 8 slots the tenant has %d, want 6 with one user waiting", s.taken())
		}
		s.release(0, rich)
		synctest.Wait()
		if len(got) != 1 || s.taken() != 6 {
			t.Errorf("the user without any waits on, %d slots are taken", s.taken())
		}
		cancel()
		synctest.Wait()
	})
}

// TestASlotThatComesTooLate: a wait that has ended passes its slot on.
func TestASlotThatComesTooLate(t *testing.T) {
	t.Parallel()
	l := newLevel(1)
	w := &waiter{holder{tenant: "late"}, make(chan struct{})}
	l.waiting = []*waiter{w}
	l.hold(holder{tenant: "first"})
	l.release(holder{tenant: "first"})
	if l.taken() != 1 {
		t.Fatal("the one that waits did not get the slot")
	}
	if l.leave(w); l.taken() != 0 {
		t.Error("the slot is lost")
	}
}
