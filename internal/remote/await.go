package remote

import (
	"context"
	"time"
)

// seenIn is how long a dispatcher waits to be told of its own write.
const seenIn = 2 * time.Second

// until waits until this process knows what it has just written. There is one way in
// which things are taken in, so nothing older ever comes behind it. Where another write
// was faster it stops waiting: what was written is stored.
func (b *Book) until(ctx context.Context, known func() bool) {
	late := time.NewTimer(seenIn)
	defer late.Stop()
	for {
		b.mu.Lock()
		done, news := known(), b.news
		b.mu.Unlock()
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

// tell wakes those who wait. The lock is held.
func (b *Book) tell() {
	close(b.news)
	b.news = make(chan struct{})
}
