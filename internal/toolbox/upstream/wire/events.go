package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/helve-dev/helve/internal/lib/eventstream"
)

// events is a stream of server-sent events, rewritten with each message on one line.
type events struct {
	h      *HTTP
	in     *eventstream.Reader
	ctx    context.Context
	id     jsonrpc.ID
	called bool
	// quiet is set for a stream that no call waits for. Without ids it cannot be resumed, and
	// its end is no news: the SDK would give up the connection after a few.
	quiet bool
	last  string // the last id that was passed on
	left  []byte
}

func (h *HTTP) events(ctx context.Context, in io.Reader, m sent, quiet bool) *events {
	throttle := newThrottle()
	r := eventstream.NewReader(in, h.Longest)
	r.Pace = func(bytes int) error {
		if bytes == 0 {
			return nil
		}
		return throttle.wait(ctx, bytes)
	}
	return &events{h: h, in: r, ctx: ctx, id: m.id, called: m.called, quiet: quiet}
}

// Read implements [io.Reader].
func (e *events) Read(p []byte) (int, error) {
	for len(e.left) == 0 {
		event, err := e.in.Next()
		if err != nil {
			rest, ok := e.in.Rest() // servers that end a stream after its last message
			if !ok {
				return 0, e.over(err)
			}
			event = rest
		}
		e.left = e.rewritten(&event)
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

func (e *events) over(err error) error {
	if e.quiet && e.last == "" {
		<-e.ctx.Done()
	}
	return err
}

// rewritten returns an event in the form that the SDK reads; nothing if it has no use.
func (e *events) rewritten(event *eventstream.Event) []byte {
	var out bytes.Buffer
	if event.ID != e.last {
		e.last = event.ID
		fmt.Fprintf(&out, "id: %s\n", event.ID)
	}
	if event.Retry > 0 {
		fmt.Fprintf(&out, "retry: %d\n", event.Retry.Milliseconds())
	}
	if text := e.message(event); text != nil {
		fmt.Fprintf(&out, "data: %s\n", text)
	}
	if out.Len() > 0 {
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// message returns the message of an event. An unacceptable message is replaced.
func (e *events) message(event *eventstream.Event) []byte {
	if event.Type != "" && event.Type != "message" || event.Data == nil && !event.TooLong() {
		return nil
	}
	msg, why := read(&line{text: event.Data, head: event.Head, tail: event.Tail, size: event.Size}, e.h.Longest)
	if why != "" {
		e.h.Odd(why)
	}
	if msg == nil && why != "" && e.called {
		msg = unreadableResponse(e.id, why)
		if event.TooLong() {
			msg = tooLong(e.id, why)
		}
	}
	if request, ok := msg.(*jsonrpc.Request); ok && !wanted(request) {
		msg = nil
	}
	text, err := encode(msg)
	if err != nil {
		return nil
	}
	return text
}
