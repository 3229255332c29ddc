package natsio

import (
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// coalesceClose is the time after a write in which another one is held back.
	coalesceClose = 50 * time.Microsecond
	// coalesceLast is the longest time a close waits for bytes that are held.
	coalesceLast = time.Second
	// coalesceMost is the most bytes that are held back; further writes wait.
	coalesceMost = 64 << 10
	// coalesceStuck is the longest time of a write, and coalesceFresh the time after which its
	// deadline is set again. A server that hangs leaves the connection open and reads
	// nothing: without an end a write would keep the client library's lock, and with
	// it every caller.
	coalesceStuck = 4 * time.Second
	coalesceFresh = time.Second
	// coalescePart is the most that is written under one deadline.
	coalescePart = 256 << 10
)

// coalesce makes a connection send writes together. It counts the connections that were
// begun.
func (c *Conn) coalesce(o *nats.Options) error {
	dial := o.CustomDialer // of a proxy, if there is one
	if dial == nil {
		dial = &net.Dialer{Timeout: o.Timeout}
	}
	o.CustomDialer = coalescingDialer{dial, &c.dials}
	return nil
}

type coalescingDialer struct {
	through nats.CustomDialer
	dials   *atomic.Int64
}

// Dial implements [nats.CustomDialer].
func (d coalescingDialer) Dial(network, address string) (net.Conn, error) {
	d.dials.Add(1)
	conn, err := d.through.Dial(network, address)
	if err != nil {
		return nil, err
	}
	return newWriteCoalescer(conn), nil
}

// writeCoalescer is a connection that sends writes together if they come close together:
// one system call and one wake-up of the server for the messages of all goroutines that
// are ready to run. The client library writes after each message that was published,
// which at 64 callers was a write for each message of a call.
//
// No clock delays a write: a single write is sent immediately, and bytes that are held
// back are sent when every goroutine that was ready has run, and before the connection
// is closed. Bytes that are held when it breaks are lost, as are those in the buffers of
// the system.
type writeCoalescer struct {
	net.Conn

	mu   sync.Mutex
	room sync.Cond // signals free room in held, or err
	// held are the bytes that wait, spare is an empty buffer to take its place.
	held, spare []byte
	// sending is true while a goroutine will send the bytes that are held.
	sending bool
	last    time.Time
	err     error

	fresh   time.Time // when the deadline was set; only for the goroutine that writes to Conn
	closing atomic.Bool
}

func newWriteCoalescer(conn net.Conn) *writeCoalescer {
	w := &writeCoalescer{Conn: conn}
	w.room.L = &w.mu
	return w
}

// Write sends p, or keeps a copy to send soon. Then a later Write returns the error, and
// the connection is closed.
func (w *writeCoalescer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && len(w.held) >= coalesceMost {
		w.room.Wait()
	}
	if w.err != nil {
		return 0, w.err
	}
	if !w.sending {
		now := time.Now()
		alone := now.Sub(w.last) > coalesceClose
		w.last = now
		if alone {
			return w.write(p)
		}
		w.sending = true
		go w.send()
	}
	w.held = append(w.held, p...)
	return len(p), nil
}

// Close sends the bytes that are held, waits at most [coalesceLast], and closes.
func (w *writeCoalescer) Close() error {
	w.closing.Store(true)
	_ = w.Conn.SetWriteDeadline(time.Now().Add(coalesceLast)) // a broken connection is closed immediately
	w.mu.Lock()
	for w.err == nil && w.sending {
		w.room.Wait()
	}
	w.mu.Unlock()
	return w.Conn.Close()
}

// SetWriteDeadline is a no-op: write sets the deadlines, and a write of the client
// library only adds to the bytes that are held.
func (w *writeCoalescer) SetWriteDeadline(time.Time) error { return nil }

// write writes p in parts, each with a deadline.
func (w *writeCoalescer) write(p []byte) (n int, err error) {
	for err == nil && n < len(p) {
		if now := time.Now(); now.Sub(w.fresh) > coalesceFresh && !w.closing.Load() {
			w.fresh = now
			_ = w.Conn.SetWriteDeadline(now.Add(coalesceStuck + coalesceFresh)) // a broken one fails to write, too
		}
		var part int
		part, err = w.Conn.Write(p[n:min(n+coalescePart, len(p))])
		n += part
	}
	return n, err
}

// send writes until no bytes are held.
func (w *writeCoalescer) send() {
	for {
		runtime.Gosched() // goroutines that are about to write do so first
		out, more := w.take()
		if !more {
			return
		}
		_, err := w.write(out)
		w.sent(out, err)
	}
}

func (w *writeCoalescer) take() (out []byte, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || len(w.held) == 0 {
		w.sending = false
		w.room.Broadcast()
		return nil, false
	}
	out, w.held = w.held, w.spare[:0]
	w.last = time.Now()
	return out, true
}

func (w *writeCoalescer) sent(out []byte, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spare = out; cap(out) > 2*coalesceMost {
		w.spare = nil // it was a message of an unusual size
	}
	if err != nil {
		w.err = err
		_ = w.Conn.Close() // the read loop will see the error and reconnect
	}
	w.room.Broadcast()
}
