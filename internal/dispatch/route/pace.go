package route

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// lateRest is the time for which calls of a tool are queued after a direct call had no
	// result in time. It doubles up to lateMost while that happens again within lateKept: a worker may
	// be stopped and still receive its share.
	lateRest, lateMost, lateKept = time.Second, 30 * time.Second, time.Minute
	// quickKept is the time for which a tool counts as quick after a quick call.
	quickKept = time.Minute
)

// paces holds the pace of tools and pools. Calls of a tool without one are queued.
type paces struct {
	tools sync.Map // *pace by name
	rests sync.Map // *atomic.Int64, the time until which calls of a pool are queued, by pool
}

// pace is the pace of one tool. Times are Unix milliseconds.
type pace struct {
	quick atomic.Int64 // until when the tool counts as quick
	rest  atomic.Int64 // until when its calls are queued
	lates atomic.Int64 // how often in a row a result was late
}

func (p *paces) of(name string) *pace { return loaded[pace](&p.tools, name) }

func (p *paces) rest(pool string, d time.Duration) {
	loaded[atomic.Int64](&p.rests, pool).Store(time.Now().Add(d).UnixMilli())
}

func (p *paces) resting(pool string, now int64) bool {
	return loaded[atomic.Int64](&p.rests, pool).Load() > now
}

// loaded returns the value of a key, which it makes where there is none.
func loaded[T any](m *sync.Map, key string) *T {
	v, ok := m.Load(key)
	if !ok {
		v, _ = m.LoadOrStore(key, new(T))
	}
	t, _ := v.(*T) // nothing else is stored
	return t
}

// allows reports whether calls of the tool may be direct.
func (p *pace) allows(now int64) bool { return p.quick.Load() > now && p.rest.Load() <= now }

// ended notes whether a call of the tool was quick.
func (p *pace) ended(quick bool, now time.Time) {
	switch until := now.Add(quickKept).UnixMilli(); {
	case !quick:
		p.quick.Store(0)
	case until-p.quick.Load() > quickKept.Milliseconds()/8:
		p.quick.Store(until)
	}
}

// late notes that a direct call had no result in time.
func (p *pace) late(now time.Time) {
	ms, rest := now.UnixMilli(), p.rest.Load()
	if rest > ms {
		return // one of several at a time
	}
	n := p.lates.Add(1)
	if ms-rest > lateKept.Milliseconds() {
		n = 1
		p.lates.Store(n)
	}
	p.rest.CompareAndSwap(rest, now.Add(min(lateRest<<min(n-1, 10), lateMost)).UnixMilli())
}
