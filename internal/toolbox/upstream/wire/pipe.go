package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ErrBroken is the error for pipes that can no longer be used.
var ErrBroken = errors.New("the connection to the server is broken")

const (
	// maxGarbage is the number of lines without a message that a server may send.
	maxGarbage = 1000
	// writeTime bounds writing one message to a server that does not read.
	writeTime = 10 * time.Second
)

// Pipe is the connection to a server that is a child process. It implements
// [mcp.Transport], for one connection.
type Pipe struct {
	// In is the server's input, Out its output; this process owns both ends.
	In, Out *os.File
	// Longest is the maximum length of a message in bytes.
	Longest int
	// Odd is called with the reason for each skipped line.
	Odd func(why string)
}

// Connect implements [mcp.Transport].
func (p *Pipe) Connect(context.Context) (mcp.Connection, error) {
	life, end := context.WithCancel(context.Background())
	return &pipeConn{
		p: p, lines: newLines(p.Out, p.Longest), throttle: newThrottle(), life: life, end: end,
		awaited: map[jsonrpc.ID]bool{}, writing: make(chan struct{}, 1),
	}, nil
}

type pipeConn struct {
	p        *Pipe
	lines    *lines
	throttle throttle
	garbage  int
	life     context.Context
	end      context.CancelFunc
	writing  chan struct{} // holds a token during a write

	mu      sync.Mutex
	awaited map[jsonrpc.ID]bool // calls of this client without an answer
}

// Read implements [mcp.Connection].
func (c *pipeConn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		l, err := c.lines.next()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBroken, err)
		}
		msg, why := read(l, c.p.Longest)
		if why != "" {
			c.p.Odd(why)
		}
		if c.answers(msg) {
			return msg, nil
		}
		if msg == nil && why != "" {
			if c.garbage++; c.garbage > maxGarbage {
				return nil, fmt.Errorf("%w: it sent %d lines that are no messages", ErrBroken, c.garbage)
			}
		}
		if err := c.throttle.wait(c.life, int(l.size)); err != nil {
			return nil, fmt.Errorf("%w: it was closed", ErrBroken)
		}
		if request, ok := msg.(*jsonrpc.Request); ok && wanted(request) {
			return msg, nil
		}
	}
}

// answers reports whether a message is the first answer to a call of this client.
func (c *pipeConn) answers(msg jsonrpc.Message) bool {
	answer, ok := msg.(*jsonrpc.Response)
	if !ok {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.awaited[answer.ID]
	delete(c.awaited, answer.ID)
	return was
}

// wanted reports whether a message that the server sends by itself is used. All its
// requests are answered: with a refusal.
func wanted(r *jsonrpc.Request) bool {
	switch r.Method {
	case "notifications/tools/list_changed", "notifications/progress", "notifications/subscriptions/acknowledged":
		return true
	}
	return r.IsCall()
}

// Write implements [mcp.Connection]. A partly written message breaks the connection.
func (c *pipeConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-ctx.Done():
		return ctx.Err()
	case <-c.life.Done():
		return ErrBroken
	}
	if request, ok := msg.(*jsonrpc.Request); ok && request.IsCall() {
		c.mu.Lock()
		c.awaited[request.ID] = true
		c.mu.Unlock()
	}
	_ = c.p.In.SetWriteDeadline(time.Now().Add(writeTime))
	// If the caller's context ends before anything was written, the connection stays
	// usable.
	stop := context.AfterFunc(ctx, func() { _ = c.p.In.SetWriteDeadline(time.Now()) })
	defer stop()
	n, err := c.p.In.Write(append(data, '\n'))
	if err != nil && (n > 0 || ctx.Err() == nil) {
		_ = c.Close()
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return err
}

// Close implements [mcp.Connection].
func (c *pipeConn) Close() error {
	c.end()
	return errors.Join(ignoreClosed(c.p.In.Close()), ignoreClosed(c.p.Out.Close()))
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// SessionID implements [mcp.Connection].
func (c *pipeConn) SessionID() string { return "" }
