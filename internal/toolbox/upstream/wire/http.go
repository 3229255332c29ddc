package wire

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
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

// ErrNotSent means that a request did not reach the server.
var ErrNotSent = errors.New("the request was not sent")

// RoundTrip implements [http.RoundTripper]. Whatever a server answers to a call or to a
// notification is an answer to that, and ends nothing else: the SDK would end the connection.
func (h *HTTP) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(h.Life, cancel)
	release := func() { stop(); cancel() }
	m := sentIn(req)
	var wrote atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }})
	sent := req.Clone(traced)
	maps.Copy(sent.Header, h.Header)
	resp, err := h.begin(sent, cancel)
	if err != nil {
		release()
		if !wrote.Load() {
			err = fmt.Errorf("%w: %w", ErrNotSent, err)
		}
		return nil, err
	}
	resp.Request = req
	resp.Body = &bodyOf{Reader: h.body(ctx, req, resp, m), Closer: resp.Body, release: release}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

const (
	jsonType  = "application/json"
	eventType = "text/event-stream"
)

// body returns what the SDK reads as the body of an answer, and adapts its status and type.
func (h *HTTP) body(ctx context.Context, req *http.Request, resp *http.Response, m sent) io.Reader {
	ok := resp.StatusCode/100 == 2
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	in := io.Reader(resp.Body)
	if ok && kind == "" && resp.StatusCode == http.StatusOK && req.Method != http.MethodDelete {
		kind, in = sniffed(in)
	}
	switch {
	case req.Method == http.MethodPost && m.note && !ok:
		h.Odd(fmt.Sprintf("it refused a notification with the status %d", resp.StatusCode))
		become(resp, http.StatusAccepted, kind)
		return http.NoBody
	case req.Method == http.MethodGet && (!ok || kind != eventType):
		return h.withoutStream(ctx, req, resp)
	case ok && kind == eventType:
		become(resp, http.StatusOK, eventType)
		return h.events(ctx, in, m, req.Method == http.MethodGet && req.Header.Get("Last-Event-ID") == "")
	case ok && kind == jsonType && m.called:
		become(resp, http.StatusOK, jsonType)
		return bytes.NewReader(h.whole(in, m.id))
	case !m.isCall:
		return io.LimitReader(in, maxOther)
	}
	text, _ := io.ReadAll(io.LimitReader(in, maxOther))
	answer := unreadableResponse(m.id, fmt.Sprintf(
		"it answered with the status %d and the type %.80q, which is no message", resp.StatusCode, kind))
	if !ok {
		answer = failureResponse(m.id, failureOf(req, resp, text))
	}
	resp.Header.Del(sessionHeader)
	become(resp, http.StatusOK, jsonType)
	return bytes.NewReader(encoded(answer))
}

func become(resp *http.Response, status int, kind string) {
	resp.StatusCode, resp.Status = status, strconv.Itoa(status)+" "+http.StatusText(status)
	resp.Header.Set("Content-Type", kind)
}

// withoutStream answers for a server that has no stream of its own messages. A stream
// that ended and cannot be resumed is quiet from then on.
func (h *HTTP) withoutStream(ctx context.Context, req *http.Request, resp *http.Response) io.Reader {
	if req.Header.Get("Last-Event-ID") == "" {
		become(resp, http.StatusMethodNotAllowed, "")
		return http.NoBody
	}
	h.Odd(fmt.Sprintf("it did not resume a stream: status %d", resp.StatusCode))
	become(resp, http.StatusOK, eventType)
	return h.events(ctx, http.NoBody, sent{}, true)
}

// sniffed returns the type of a body without one.
func sniffed(body io.Reader) (kind string, in io.Reader) {
	buffered := bufio.NewReader(body)
	head, _ := buffered.Peek(1)
	if string(head) == mark[:1] {
		head, _ = buffered.Peek(len(mark) + 1)
	}
	switch head = bytes.TrimPrefix(head, []byte(mark)); {
	case len(head) == 0:
		return "", buffered
	case bytes.ContainsAny(head, "{[ \t\r\n"):
		return jsonType, buffered
	case bytes.ContainsAny(head, "deir:"): // a field, or a comment
		return eventType, buffered
	}
	return "", buffered
}

const mark = "\ufeff"

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

// sent is the message of a request.
type sent struct {
	id jsonrpc.ID
	// called is set for a call; isCall is set for a call whose answers are all replaced if
	// they are no messages: the other calls are those with which a connection begins.
	called, isCall bool
	// note is set for a message that has no answer.
	note bool
}

// sentIn reads the message of a request.
func sentIn(req *http.Request) (m sent) {
	if req.GetBody == nil {
		return m
	}
	body, err := req.GetBody()
	if err != nil {
		return m
	}
	defer body.Close()
	var message struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
	}
	if json.NewDecoder(body).Decode(&message) != nil {
		return m
	}
	m.note = message.ID == nil || message.Method == ""
	if m.note {
		return m
	}
	m.id, err = jsonrpc.MakeID(message.ID)
	m.called = err == nil
	m.isCall = m.called && (message.Method == "tools/call" || message.Method == "tools/list")
	return m
}

// whole reads the only message of the answer to a call. An unacceptable message is replaced.
func (h *HTTP) whole(body io.Reader, id jsonrpc.ID) []byte {
	text, err := io.ReadAll(io.LimitReader(body, int64(h.Longest)+1))
	text = bytes.TrimPrefix(text, []byte(mark))
	l := &line{text: text, size: int64(len(text))}
	if len(text) > h.Longest {
		l = &line{head: text[:ends], tail: text[:0], size: int64(len(text))}
	}
	msg, why := read(l, h.Longest)
	answer, ok := msg.(*jsonrpc.Response)
	switch {
	case err != nil:
		why = "its answer broke off"
		msg = unreadableResponse(id, why)
	case ok && answer.ID == id:
	case ok && answer.Error != nil && !answer.ID.IsValid(): // it did not say to what
		answer.ID = id
	case l.tooLong():
		msg = tooLong(id, why)
	default:
		why = cmp.Or(why, "it answered something else than it was asked")
		msg = unreadableResponse(id, why)
	}
	if why != "" {
		h.Odd(why)
	}
	return encoded(msg)
}

func encoded(msg jsonrpc.Message) []byte {
	data, err := encode(msg)
	if err != nil {
		return []byte("{}")
	}
	return data
}

func encode(msg jsonrpc.Message) ([]byte, error) {
	if msg == nil {
		return nil, io.EOF
	}
	return jsonrpc.EncodeMessage(msg)
}
