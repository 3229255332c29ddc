package bus

import (
	"net"
	"runtime"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// gatherClose is how soon after another a write is held back.
	gatherClose = 50 * time.Microsecond
	// gatherLast is how long a close waits for what is held.
	gatherLast = time.Second
	// gatherMost is how many bytes are held back; who writes more waits.
	gatherMost = 64 << 10
)

// gather makes a connection gather what is written to it.
func gather(o *nats.Options) error {
	dial := o.CustomDialer // of a proxy, if there is one
	if dial == nil {
		dial = &net.Dialer{Timeout: o.Timeout}
	}
	o.CustomDialer = gatherer{dial}
	return nil
}

type gatherer struct{ through nats.CustomDialer }

// Dial implements [nats.CustomDialer].
func (g gatherer) Dial(network, address string) (net.Conn, error) {
	conn, err := g.through.Dial(network, address)
	if err != nil {
		return nil, err
	}
	return newGathering(conn), nil
}

// gathering is a connection that sends together what is written close together:
// one system call, and one wake-up of the server, for what the goroutines have
// to say that are ready to run. The client library writes whenever one of them
// has published, which at 64 callers was a write for each of a call's messages.
//
// Nobody waits for a clock: a write that comes alone goes out at once, and what is
// held back goes out when every goroutine that could run has run, and before the
// connection is closed. What is held when it breaks is lost, as is what lies in the
// system's buffers.
type gathering struct {
	net.Conn

	mu   sync.Mutex
	room sync.Cond // there is some again, or err
	// held is what waits, spare an empty buffer to take its place.
	held, spare []byte
	// sending says that a goroutine will send what is held.
	sending bool
	last    time.Time
	err     error
}

func newGathering(conn net.Conn) *gathering {
	g := &gathering{Conn: conn}
	g.room.L = &g.mu
	return g
}

// Write sends p, or keeps a copy to be sent soon: then it is a later Write that
// returns the error, and the connection is closed.
func (g *gathering) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.err == nil && len(g.held) >= gatherMost {
		g.room.Wait()
	}
	if g.err != nil {
		return 0, g.err
	}
	if !g.sending {
		now := time.Now()
		alone := now.Sub(g.last) > gatherClose
		g.last = now
		if alone {
			return g.Conn.Write(p)
		}
		g.sending = true
		go g.send()
	}
	g.held = append(g.held, p...)
	return len(p), nil
}

// Close sends what is held, for as long as [gatherLast], and closes.
func (g *gathering) Close() error {
	_ = g.Conn.SetWriteDeadline(time.Now().Add(gatherLast)) // a broken one is closed at once
	g.mu.Lock()
	for g.err == nil && g.sending {
		g.room.Wait()
	}
	g.mu.Unlock()
	return g.Conn.Close()
}

// send sends until nothing is held.
func (g *gathering) send() {
	for {
		runtime.Gosched() // whoever is about to write, writes first
		out, more := g.take()
		if !more {
			return
		}
		_, err := g.Conn.Write(out)
		g.sent(out, err)
	}
}

func (g *gathering) take() (out []byte, more bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil || len(g.held) == 0 {
		g.sending = false
		g.room.Broadcast()
		return nil, false
	}
	out, g.held = g.held, g.spare[:0]
	g.last = time.Now()
	return out, true
}

func (g *gathering) sent(out []byte, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.spare = out; cap(out) > 2*gatherMost {
		g.spare = nil // it was a message of an unusual size
	}
	if err != nil {
		g.err = err
		_ = g.Conn.Close() // who reads hears of it, and connects anew
	}
	g.room.Broadcast()
}
