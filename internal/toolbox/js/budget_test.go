package js

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/helve-dev/helve/tool"
)

const mb = 1 << 20

// TestBudget: a user gets at most half, a tenant three quarters, and all together no
// more than the budget.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(40 * mb)
		ctx, cancel := context.WithCancel(t.Context())
		take := func(who spender, n int64) chan error {
			got := make(chan error, 1)
			go func() { got <- b.take(ctx, who, n) }()
			synctest.Wait()
			return got
		}
		one, two, three := spender{"t", "one"}, spender{"t", "two"}, spender{"t", "three"}
		for _, tt := range []struct {
			who spender
			n   int64
			has bool
		}{
			{one, 15 * mb, true}, {one, 10 * mb, false}, // more than half
			{one, 1 * mb, false},                         // behind its own claim
			{two, 15 * mb, true}, {three, 1 * mb, false}, // more than three quarters of the tenant
			{spender{"u", "x"}, 10 * mb, true}, {spender{"v", "x"}, 1 * mb, false}, // there is none left
		} {
			if got := take(tt.who, tt.n); (len(got) == 1) != tt.has {
				t.Errorf("%v asks for %d MB and has it: %v, want %v", tt.who, tt.n/mb, len(got) == 1, tt.has)
			}
		}
		b.release(one, 15*mb)
		synctest.Wait()
		if b.used != 10*mb+1*mb+15*mb+1*mb+10*mb+1*mb || len(b.waiting) != 0 {
			t.Errorf("after a release %d MB are used and %d wait, want all to have theirs", b.used/mb, len(b.waiting))
		}
		late := take(one, 15*mb)
		cancel()
		synctest.Wait()
		if err := <-late; !errors.Is(err, context.Canceled) {
			t.Errorf("take = %v, want the end of its context", err)
		}
		b.release(one, 11*mb)
		b.release(two, 15*mb)
		b.release(three, 1*mb)
		b.release(spender{"u", "x"}, 10*mb)
		b.release(spender{"v", "x"}, 1*mb)
		if b.used != 0 || len(b.users)+len(b.tenants)+len(b.waiting) != 0 {
			t.Errorf("%d bytes are used, %v, %v, %d waiting; want none", b.used, b.users, b.tenants, len(b.waiting))
		}
	})
}

// TestBudgetIsOver: a claim that waits too long fails with the reason.
func TestBudgetIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, who := NewBudget(0), spender{"t", "u"}
		if b.most != LeastBudget {
			t.Errorf("a budget has %d bytes, want the least", b.most)
		}
		if err := b.take(t.Context(), who, b.most/2); err != nil {
			t.Fatal(err)
		}
		err := b.take(t.Context(), who, 1)
		if e := tool.AsError(err); e == nil || e.Kind != tool.Overloaded || len(b.waiting) != 0 {
			t.Errorf("take = %v with %d waiting, want overloaded", err, len(b.waiting))
		}
	})
}

// TestBudgetComesTooLate: bytes that arrive as the wait ends are not lost.
func TestBudgetComesTooLate(t *testing.T) {
	t.Parallel()
	b, who := NewBudget(0), spender{"t", "u"}
	c := &claim{who, mb, make(chan struct{})}
	b.waiting = []*claim{c}
	b.add(who, mb)
	b.release(who, mb)
	if b.used != mb {
		t.Fatalf("%d bytes are used, want those of the claim", b.used)
	}
	if b.leave(c); b.used != 0 {
		t.Errorf("%d bytes are lost", b.used)
	}
}
