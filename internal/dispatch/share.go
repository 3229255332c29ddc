package dispatch

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/place"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// shares counts the calls that this dispatcher has queued and that have not ended, by
// pool and person, and chooses the lane of the next one. It exchanges nothing with other
// dispatchers: each holds a person to the same bound.
type shares struct {
	// quickUser bounds the calls of a user, and quickTenant those of a tenant, in the
	// quick lane of a pool.
	quickUser, quickTenant int
	quota                  Quota

	mu    sync.Mutex
	pools map[string]*pooled
	// users and tenants count their calls in all pools.
	users   map[person]int
	tenants map[string]int
	// late are calls that are no longer waited for here, until their results pass.
	late   map[string]lateCall
	behind atomic.Int64 // how many of them there are
	swept  time.Time
}

// pooled is one pool.
type pooled struct {
	users map[person]*load
	// tenants counts the calls of each tenant in the quick lane.
	tenants map[string]int
	// spilled counts the calls in each other lane.
	spilled map[string]int
}

type person struct{ tenant, user string }

// load counts the calls of a person in a pool.
type load struct {
	calls int
	// batch is the number of those of priority batch.
	batch int
	// spilled counts those in each lane other than the quick one.
	spilled map[string]int
}

// ticket is one call that is counted. Its lane is where it was queued.
type ticket struct {
	shares *shares
	pool   string
	person person
	batch  bool
	lane   string
	// placed is where the call is queued instead, if not every worker of the pool is to
	// have it.
	placed place.At
	// ended is set if it is no longer counted, late is its key in shares.late.
	// Guarded by the lock of shares.
	ended bool
	late  string
}

type lateCall struct {
	ticket *ticket
	// until is when the call has ended even if its result was not seen here.
	until time.Time
}

func newShares(quickUser, quickTenant int, q Quota) *shares {
	return &shares{
		quickUser: quickUser, quickTenant: quickTenant, quota: q,
		pools: map[string]*pooled{}, users: map[person]int{}, tenants: map[string]int{}, late: map[string]lateCall{},
	}
}

// take counts a call and chooses its lane, or returns an error if it is over a quota that
// binds it. The first interactive calls of a person go to the quick
// lane; the others to that of the person's two lanes in which fewer calls of others are.
func (s *shares) take(pool string, who person, priority string, bound bool) (*ticket, *tool.Error) {
	t := &ticket{shares: s, pool: pool, person: who, batch: priority == protocol.PriorityBatch}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exceeded(who); err != nil && bound {
		return nil, err
	}
	s.users[who]++
	s.tenants[who.tenant]++
	p := s.pools[pool]
	if p == nil {
		p = &pooled{users: map[person]*load{}, tenants: map[string]int{}, spilled: map[string]int{}}
		s.pools[pool] = p
	}
	l := p.users[who]
	if l == nil {
		l = new(load)
		p.users[who] = l
	}
	quick := !t.batch && l.calls-l.batch < s.quickUser && p.tenants[who.tenant] < s.quickTenant
	l.calls++
	if t.batch {
		l.batch++
	}
	if quick {
		p.tenants[who.tenant]++
		return t, nil
	}
	first, second := queue.LanesOf(who.tenant, who.user, priority)
	t.lane = first
	if p.spilled[second]-l.spilled[second] < p.spilled[first]-l.spilled[first] {
		t.lane = second
	}
	if l.spilled == nil {
		l.spilled = map[string]int{}
	}
	l.spilled[t.lane]++
	p.spilled[t.lane]++
	return t, nil
}

// end takes the count back, once.
func (t *ticket) end() {
	t.shares.mu.Lock()
	defer t.shares.mu.Unlock()
	t.endLocked()
}

func (t *ticket) endLocked() {
	if t.ended {
		return
	}
	t.ended = true
	if t.late != "" {
		delete(t.shares.late, t.late)
		t.shares.behind.Store(int64(len(t.shares.late)))
	}
	drop(t.shares.users, t.person)
	drop(t.shares.tenants, t.person.tenant)
	p := t.shares.pools[t.pool]
	l := p.users[t.person]
	if t.batch {
		l.batch--
	}
	if l.calls--; l.calls == 0 {
		delete(p.users, t.person)
	}
	if t.lane != queue.Quick {
		l.spilled[t.lane]--
		p.spilled[t.lane]--
		return
	}
	drop(p.tenants, t.person.tenant)
}

// drop takes one from a count.
func drop[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}

func lateKey(tenant, callID string) string { return tenant + "/" + callID }

// sweepEvery is the interval of checks for calls whose result was not received here.
const sweepEvery = time.Minute

// programCounted is the time for which a program is counted that nobody waits for: it may start as
// late as it must end, and a long one mostly waits as data.
const programCounted = time.Minute

// leave goes on counting a call that is no longer waited for, until ended is called for it.
// The caller looks for the result afterwards: it may have come before.
func (s *shares) leave(t *ticket, e *call.Call) {
	// What has left the queue in time and runs for longer is no longer counted.
	now, until := time.Now(), e.StartBy().Add(lateGrace)
	if e.Program != "" {
		until = now.Add(programCounted)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.ended {
		return
	}
	t.late = lateKey(e.Tenant, e.ID)
	s.late[t.late] = lateCall{t, until}
	if now.Sub(s.swept) > sweepEvery {
		s.swept = now
		for _, c := range s.late {
			if now.After(c.until) {
				c.ticket.endLocked()
			}
		}
	}
	s.behind.Store(int64(len(s.late)))
}

// ended ends the count of a call that was left.
func (s *shares) ended(tenant, callID string) {
	if s.behind.Load() == 0 {
		return // as for nearly all: their callers wait
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.late[lateKey(tenant, callID)]; ok {
		c.ticket.endLocked()
	}
}
