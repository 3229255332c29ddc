package natsio

import "sync"

// remakes holds a signal for each stream that parts of this process read: it was deleted and
// made again.
type remakes struct {
	mu     sync.Mutex
	signal map[string]chan struct{}
}

// Remade returns a channel that is closed when this process next notices that a stream was
// made again. What was read from the stream before is no longer stored in it, and places in
// the earlier stream mean nothing in the new one. The stream of a bucket is
// KV_<bucket>.
func Remade(c *Conn, stream string) <-chan struct{} {
	c.remakes.mu.Lock()
	defer c.remakes.mu.Unlock()
	return c.remakes.of(stream)
}

// MarkRemade closes the channel of [Remade]. It counts as a new connection, because a
// server that lost its data looks the same: whatever repeats its entries after a
// reconnect repeats them now.
func MarkRemade(c *Conn, stream string) {
	c.remakes.mu.Lock()
	close(c.remakes.of(stream))
	delete(c.remakes.signal, stream)
	c.remakes.mu.Unlock()
	c.connected()
}

// of returns the channel of a stream. The caller holds mu.
func (r *remakes) of(stream string) chan struct{} {
	if r.signal == nil {
		r.signal = map[string]chan struct{}{}
	}
	ch := r.signal[stream]
	if ch == nil {
		ch = make(chan struct{})
		r.signal[stream] = ch
	}
	return ch
}
