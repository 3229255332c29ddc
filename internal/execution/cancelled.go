package execution

import (
	"sync"
	"time"
)

// cancelled is a bounded set of calls that forgets.
type cancelled struct {
	mu    sync.Mutex
	since map[callKey]time.Time
}

const (
	cancelledKeep = 10 * time.Minute
	cancelledMost = 10_000
)

func (s *cancelled) add(k callKey, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since == nil {
		s.since = map[callKey]time.Time{}
	}
	if len(s.since) >= cancelledMost {
		for k, at := range s.since {
			if now.Sub(at) > cancelledKeep {
				delete(s.since, k)
			}
		}
		if len(s.since) >= cancelledMost {
			return // the fence still refuses it
		}
	}
	s.since[k] = now
}

func (s *cancelled) drop(k callKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, k)
}

func (s *cancelled) has(k callKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.since[k]
	return ok && time.Since(at) < cancelledKeep
}
