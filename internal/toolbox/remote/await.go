package remote

import (
	"context"
	"time"
)

// seenIn is the time a dispatcher waits to see its own write.
const seenIn = 2 * time.Second

// until waits until this process has seen its own write. All changes arrive in one
// order, so nothing older can follow. If a concurrent write was faster it stops
// waiting: the write is stored.
func (r *Registry) until(ctx context.Context, known func() bool) {
	late := time.NewTimer(seenIn)
	defer late.Stop()
	for {
		r.mu.Lock()
		done, news := known(), r.news
		r.mu.Unlock()
		if done {
			return
		}
		select {
		case <-news:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// tell wakes the goroutines that wait. The lock is held.
func (r *Registry) tell() {
	close(r.news)
	r.news = make(chan struct{})
}
