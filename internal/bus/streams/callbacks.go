package streams

import "fmt"

// resultsShare is the part of the stream that is kept for results: callbacks are accepted
// while less than the rest is used.
const resultsShare = 4

// CallbacksFull returns why no more callbacks may be accepted, nil if they may.
func (b *Store) CallbacksFull() *Shortage {
	b.room.mu.Lock()
	defer b.room.mu.Unlock()
	l := b.room.streams[Callbacks]
	if l == nil {
		return nil
	}
	const advice = "send the call again later, or without a callback; the operator can raise %s"
	taken := func(b bound) bool { return b.max > 0 && b.used >= b.max-b.max/resultsShare }
	switch {
	case taken(l.messages) || l.full && l.crowded:
		return &Shortage{
			What: fmt.Sprintf("the stream of callbacks is full (%d of %d messages, a quarter of which is kept for results)",
				l.messages.used, l.messages.max),
			Advice: fmt.Sprintf(advice, "callbacks.max_messages"),
		}
	case taken(l.bytes) || l.full:
		return &Shortage{
			What: fmt.Sprintf("the stream of callbacks is full (%.2f of %.2f MiB used, a quarter of which is kept for results)",
				mib(l.bytes.used), mib(l.bytes.max)),
			Advice: fmt.Sprintf(advice, "callbacks.max_bytes"),
		}
	}
	return nil
}
