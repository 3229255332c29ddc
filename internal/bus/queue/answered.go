package queue

import (
	"sync"
	"time"
)

// answered remembers for a short time where the results are stored that callers received:
// the index of all results is up to some 100 ms behind.
type answered struct {
	mu          sync.Mutex
	now, before map[inboxKey]uint64
	since       time.Time
}

const (
	// answeredFor is the minimum time for which a place is remembered, unless more than
	// answeredMost results come in that time.
	answeredFor  = 3 * time.Second
	answeredMost = 100_000
)

func (a *answered) add(key inboxKey, seq uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); a.now == nil || now.Sub(a.since) > answeredFor || len(a.now) >= answeredMost {
		a.now, a.before, a.since = make(map[inboxKey]uint64, len(a.now)), a.now, now
	}
	a.now[key] = seq
}

func (a *answered) get(key inboxKey) (uint64, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq, ok := a.now[key]; ok {
		return seq, true
	}
	seq, ok := a.before[key]
	return seq, ok
}
