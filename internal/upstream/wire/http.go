package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxOther bounds the bytes read of a body that is neither JSON nor a stream of events.
const maxOther = 64 << 10

// HTTP sends requests to a server over HTTP. It implements [http.RoundTripper].
type HTTP struct {
	// Do sends a request, and follows its redirects.
	Do func(*http.Request) (*http.Response, error)
	// Header is sent with every request.
	Header http.Header
	// Longest is the maximum length of a message in bytes.
	Longest int
	// Life ends every request and stream.
	Life context.Context
	// Odd is called with the reason for each skipped line.
	Odd func(why string)
}

// RoundTrip implements [http.RoundTripper].
func (h *HTTP) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(h.Life, cancel)
	release := func() { stop(); cancel() }
	id, called := idIn(req)
	sent := req.Clone(ctx)
	maps.Copy(sent.Header, h.Header)
	resp, err := h.begin(sent, cancel)
	if err != nil {
		release()
		return nil, err
	}
	resp.Request = req
	body := &bodyOf{Reader: io.LimitReader(resp.Body, maxOther), Closer: resp.Body, release: release}
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); {
	case kind == "text/event-stream":
		body.Reader = &events{h: h, lines: newLines(resp.Body, h.Longest), throttle: newThrottle(), ctx: ctx, id: id, called: called}
	case kind == "application/json" && resp.StatusCode == http.StatusOK:
		body.Reader = bytes.NewReader(h.whole(resp.Body, id, called))
	}
	resp.Body = body
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

// streamTime is the time a server may take to begin a stream of its own messages.
const streamTime = 10 * time.Second

// begin sends a request. A server that does not begin such a stream in time is treated as a
// server without it, so that it does not delay connecting.
func (h *HTTP) begin(req *http.Request, cancel func()) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return h.Do(req)
	}
	late := time.AfterFunc(streamTime, cancel)
	resp, err := h.Do(req)
	if !late.Stop() && err != nil && h.Life.Err() == nil {
		return &http.Response{StatusCode: http.StatusMethodNotAllowed, Header: http.Header{}, Body: http.NoBody}, nil
	}
	return resp, err
}

type bodyOf struct {
	io.Reader
	io.Closer

	release func()
}

// Close implements io.Closer.
func (b *bodyOf) Close() error {
	b.release()
	return b.Closer.Close()
}

// idIn returns the id of the call that a request carries.
func idIn(req *http.Request) (id jsonrpc.ID, called bool) {
	if req.GetBody == nil {
		return id, false
	}
	body, err := req.GetBody()
	if err != nil {
		return id, false
	}
	defer body.Close()
	var call struct {
		ID any `json:"id"`
	}
	if json.NewDecoder(body).Decode(&call) != nil || call.ID == nil {
		return id, false
	}
	id, err = jsonrpc.MakeID(call.ID)
	return id, err == nil
}

// whole reads the only message of a body. An unacceptable message is replaced.
func (h *HTTP) whole(body io.Reader, id jsonrpc.ID, called bool) []byte {
	text, err := io.ReadAll(io.LimitReader(body, int64(h.Longest)+1))
	l := &line{text: text, size: int64(len(text))}
	if len(text) > h.Longest {
		l = &line{head: text[:ends], tail: text[:0], size: int64(len(text))}
	}
	msg, why := read(l, h.Longest)
	if err != nil {
		msg, why = nil, "its answer broke off"
	}
	switch answer, ok := msg.(*jsonrpc.Response); {
	case why != "":
		h.Odd(why)
	case !ok || called && answer.ID != id:
		msg, why = nil, "it answered something else than it was asked"
	}
	if why != "" && called {
		msg = refused(id, "%s", why)
	}
	data, err := encode(msg)
	if err != nil {
		return text[:min(len(text), h.Longest)]
	}
	return data
}

func encode(msg jsonrpc.Message) ([]byte, error) {
	if msg == nil {
		return nil, io.EOF
	}
	return jsonrpc.EncodeMessage(msg)
}

// events is a stream of server-sent events with each message on one line.
type events struct {
	h        *HTTP
	lines    *lines
	throttle throttle
	ctx      context.Context
	id       jsonrpc.ID
	called   bool
	left     []byte
}

var data = []byte("data:")

// Read implements [io.Reader].
func (e *events) Read(p []byte) (int, error) {
	for len(e.left) == 0 {
		l, err := e.lines.next()
		if err != nil {
			return 0, err
		}
		if l.size > 0 {
			if err := e.throttle.wait(e.ctx, int(l.size)); err != nil {
				return 0, err
			}
		}
		e.left = append(e.event(l), '\n')
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

// event returns the replacement for a line of the stream.
func (e *events) event(l *line) []byte {
	start := l.text
	if l.tooLong() {
		start = l.head
	}
	payload, ok := bytes.CutPrefix(start, data)
	if !ok {
		return start // a line of another kind that is too long is not used
	}
	if !l.tooLong() {
		l.text = payload
	}
	msg, why := read(l, e.h.Longest)
	if why != "" {
		e.h.Odd(why)
	}
	if msg == nil && why != "" && e.called {
		msg = refused(e.id, "%s", why)
	}
	end := ""
	if why != "" {
		end = "\n" // the event is over: the data after it may be an error
	}
	if request, ok := msg.(*jsonrpc.Request); ok && !wanted(request) {
		msg = nil
	}
	text, err := encode(msg)
	if err != nil {
		return []byte(": left out")
	}
	return append(append(bytes.Clone(data), text...), end...)
}
