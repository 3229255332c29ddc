package js

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/helve-dev/helve/tool"
)

// budgetWait is the time an answer waits for its share of a [Budget].
const budgetWait = 10 * time.Second

// smallAnswer is the size up to which answers do not count.
const smallAnswer = 64 << 10

// Budget limits the bytes of bodies and other answers that a process holds for all
// running scripts. A user never has more than half, a tenant never more than three
// quarters. It is safe for concurrent use.
type Budget struct {
	most int64

	mu      sync.Mutex
	used    int64
	users   map[spender]int64
	tenants map[string]int64
	waiting []*claim // in order of arrival
}

type spender struct{ tenant, user string }

type claim struct {
	who  spender
	n    int64
	turn chan struct{} // closed once the bytes are taken
}

// LeastBudget is the minimum size of a budget: a user's half must hold one body.
const LeastBudget = 4 * MaxBody

// NewBudget returns a budget of that many bytes, at least [LeastBudget].
func NewBudget(bytes int64) *Budget {
	return &Budget{most: max(bytes, LeastBudget), users: map[spender]int64{}, tenants: map[string]int64{}}
}

// take waits for n bytes, at most budgetWait.
func (b *Budget) take(ctx context.Context, who spender, n int64) error {
	b.mu.Lock()
	if b.fits(who, n) && !b.behind(who) {
		b.add(who, n)
		b.mu.Unlock()
		return nil
	}
	c := &claim{who, n, make(chan struct{})}
	b.waiting = append(b.waiting, c)
	b.mu.Unlock()
	patience := time.NewTimer(budgetWait)
	defer patience.Stop()
	select {
	case <-c.turn:
		return nil
	case <-ctx.Done():
		b.leave(c)
		return ctx.Err()
	case <-patience.C:
		b.leave(c)
		return tool.Fail(tool.Overloaded,
			"scripts on this worker already hold the maximum amount of data (sandbox.handover); fetch or read less, or try again later")
	}
}

func (b *Budget) fits(who spender, n int64) bool {
	return b.used+n <= b.most && b.users[who]+n <= b.most/2 && b.tenants[who.tenant]+n <= b.most-b.most/4
}

// behind reports whether an earlier claim of the same user waits: otherwise small
// claims would overtake a large one forever.
func (b *Budget) behind(who spender) bool {
	return slices.ContainsFunc(b.waiting, func(c *claim) bool { return c.who == who })
}

func (b *Budget) add(who spender, n int64) {
	b.used += n
	if b.users[who] += n; b.users[who] == 0 {
		delete(b.users, who)
	}
	if b.tenants[who.tenant] += n; b.tenants[who.tenant] == 0 {
		delete(b.tenants, who.tenant)
	}
}

// release returns n bytes and gives them to waiting claims.
func (b *Budget) release(who spender, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.giveBack(who, n)
}

func (b *Budget) giveBack(who spender, n int64) {
	b.add(who, -n)
	b.waiting = slices.DeleteFunc(b.waiting, func(c *claim) bool {
		if !b.fits(c.who, c.n) {
			return false
		}
		b.add(c.who, c.n)
		close(c.turn)
		return true
	})
}

// leave ends a wait. It releases bytes that arrived at the last moment.
func (b *Budget) leave(c *claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-c.turn:
		b.giveBack(c.who, c.n)
	default:
		b.waiting = slices.DeleteFunc(b.waiting, func(o *claim) bool { return o == c })
	}
}

// portion is the share of one answer in a budget; without a budget it gets all it
// requests.
type portion struct {
	budget *Budget
	who    spender
	n      int64
}

func (p *portion) take(ctx context.Context, n int64) error {
	if p.budget == nil {
		return nil
	}
	if err := p.budget.take(ctx, p.who, n); err != nil {
		return err
	}
	p.n += n
	return nil
}

// keep releases all but n bytes.
func (p *portion) keep(n int64) {
	if p.budget != nil && p.n > n {
		p.budget.release(p.who, p.n-n)
		p.n = n
	}
}

func (p *portion) release() { p.keep(0) }
