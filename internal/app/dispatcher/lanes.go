package dispatcher

import (
	"sync"

	"github.com/helve-dev/helve/internal/fleet"
)

// laned tracks which pools have workers that take calls of all lanes. A pool without
// live workers keeps its last state; a pool that never had any has the quick lane only,
// which workers of every version serve.
type laned struct {
	mu    sync.Mutex
	pools map[string]bool
}

func (l *laned) update(live fleet.Live) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for pool := range live {
		l.pools[pool] = live.Lanes(pool)
	}
}

func (l *laned) has(pool string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pools[pool]
}
