package remote

import (
	"context"
	"time"
)

// seenIn is how long a dispatcher waits to be told of its own write.
const seenIn = 2 * time.Second

// expect returns a channel that is closed when this process has been told of a write
// to an instance's key: the one with that beat, or with "" that it is gone. There is
// one way in which things are taken in, so nothing older ever comes behind it.
func (b *Book) expect(key, beat string) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	told := make(chan struct{})
	b.waiting[key+" "+beat] = told
	return told
}

// wait waits for what expect returned. One that is not told, since another write was
// faster, is no error: the registration is stored.
func (b *Book) wait(ctx context.Context, key, beat string, told <-chan struct{}) {
	late := time.NewTimer(seenIn)
	defer late.Stop()
	select {
	case <-told:
	case <-late.C:
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, key+" "+beat)
}

// tell closes the channel of whoever waits for this; a nil instance is gone.
func (b *Book) tell(key string, i *instance) {
	beat := ""
	if i != nil {
		beat = i.Beat
	}
	if told := b.waiting[key+" "+beat]; told != nil {
		delete(b.waiting, key+" "+beat)
		close(told)
	}
}
