package mail

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Patience is the time that a server may take for one step, unless [Conn.Wait] says otherwise.
const Patience = 30 * time.Second

// errTooMuch ends a connection whose server sends more than is allowed.
var errTooMuch = errors.New("the server sends more than is allowed")

// Conn is a connection to a mail server. Reads and writes have time limits of their own; the
// deadlines that a protocol library sets are ignored, so that the library cannot remove them.
type Conn struct {
	net.Conn

	ctx      context.Context
	server   *Server
	patience atomic.Int64
	left     atomic.Int64
	stop     func() bool
	ended    error // the failure of the first Read that failed: libraries try again

	mu     sync.Mutex
	failed error
}

func newConn(ctx context.Context, raw net.Conn, server *Server, most int64) *Conn {
	c := &Conn{Conn: raw, ctx: ctx, server: server}
	c.patience.Store(int64(Patience))
	c.left.Store(most)
	c.stop = context.AfterFunc(ctx, func() { _ = raw.Close() })
	return c
}

// Wait sets the time that the server may take for a step.
func (c *Conn) Wait(d time.Duration) { c.patience.Store(int64(d)) }

// Allow lets the server send more bytes.
func (c *Conn) Allow(bytes int64) { c.left.Add(bytes) }

// Read implements [net.Conn].
func (c *Conn) Read(b []byte) (int, error) {
	if c.ended != nil {
		return 0, c.ended
	}
	left := c.left.Load()
	if left <= 0 {
		c.ended = errTooMuch
		return 0, c.note(errTooMuch)
	}
	_ = c.Conn.SetReadDeadline(time.Now().Add(time.Duration(c.patience.Load()))) // Read fails then
	n, err := c.Conn.Read(b[:min(int64(len(b)), left)])
	c.left.Add(-int64(n))
	c.ended = err
	return n, c.note(err)
}

// Write implements [net.Conn].
func (c *Conn) Write(b []byte) (int, error) {
	_ = c.Conn.SetWriteDeadline(time.Now().Add(time.Duration(c.patience.Load()))) // Write fails then
	n, err := c.Conn.Write(b)
	return n, c.note(err)
}

// Close implements [net.Conn].
func (c *Conn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// SetDeadline does nothing; see [Conn].
func (*Conn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing; see [Conn].
func (*Conn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing; see [Conn].
func (*Conn) SetWriteDeadline(time.Time) error { return nil }

// note keeps the first failure: libraries reduce errors to texts.
func (c *Conn) note(err error) error {
	if err == nil || errors.Is(err, net.ErrClosed) && c.ctx.Err() == nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil || errors.Is(c.failed, io.EOF) {
		c.failed = err
	}
	return err
}

// Fail closes the connection because of what the server sent.
func (c *Conn) Fail(reason error) error {
	_ = c.note(reason)
	_ = c.Conn.Close()
	return reason
}

// Failure returns the first failure of the connection; nil if there was none.
func (c *Conn) Failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}
