package telemetry

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// countedBy holds the counters that were looked up, by what they count. It is replaced, not
// changed, so that a lookup takes no lock and no memory.
type countedBy[K comparable] struct {
	mu sync.Mutex
	at atomic.Pointer[map[K]prometheus.Counter]
}

// get returns the counter of a key, nil if there is none.
func (c *countedBy[K]) get(key K) prometheus.Counter {
	if all := c.at.Load(); all != nil {
		return (*all)[key]
	}
	return nil
}

// put stores the counter of a key. The caller limits the keys.
func (c *countedBy[K]) put(key K, counter prometheus.Counter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := map[K]prometheus.Counter{}
	if all := c.at.Load(); all != nil {
		next = maps.Clone(*all)
	}
	next[key] = counter
	c.at.Store(&next)
}
