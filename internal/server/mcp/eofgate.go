package mcp

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// eofGate delays EOF to the SDK until every pending request is answered, so that `echo
// … | helve mcp` gets its responses: the SDK drops requests in progress when it reads
// EOF. It does not delay EOF while the server waits for an answer of the client,
// because none can come.
type eofGate struct {
	in  io.ReadCloser
	out io.WriteCloser

	part []byte // of an unfinished line; used by Read only

	mu     sync.Mutex
	change sync.Cond
	open   map[string]bool // requests of the client
	asked  map[string]bool // requests of the server
	closed bool
}

// longest is the length above which a line is not examined: the SDK refuses it too.
const longest = 16 << 20

func newEOFGate(in io.ReadCloser, out io.WriteCloser) *eofGate {
	g := &eofGate{in: in, out: out, open: map[string]bool{}, asked: map[string]bool{}}
	g.change.L = &g.mu
	return g
}

// Read implements [io.Reader] for the SDK.
func (g *eofGate) Read(b []byte) (int, error) {
	n, err := g.in.Read(b)
	g.lines(b[:n])
	if errors.Is(err, io.EOF) {
		g.came(g.part)
		g.answered()
	}
	return n, err
}

// lines records the requests in each complete line.
func (g *eofGate) lines(b []byte) {
	for {
		line, rest, ended := bytes.Cut(b, []byte{'\n'})
		if len(g.part)+len(line) <= longest {
			g.part = append(g.part, line...)
		}
		if !ended {
			return
		}
		g.came(g.part)
		g.part, b = g.part[:0], rest
	}
}

func (g *eofGate) came(line []byte) {
	m, _ := glance(line)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case m.Method == "":
		delete(g.asked, key(m.ID))
	case m.Method == "notifications/cancelled":
		delete(g.open, key(m.Params.RequestID))
	case named(m.ID) && m.Method != "subscriptions/listen": // it ends only with the stream
		g.open[key(m.ID)] = true
	}
}

// Write implements [io.Writer] for the SDK, which writes each message in one call.
func (g *eofGate) Write(b []byte) (int, error) {
	n, err := g.out.Write(b)
	m, _ := glance(b)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case m.Method == "":
		delete(g.open, key(m.ID))
	case named(m.ID):
		g.asked[key(m.ID)] = true
	}
	g.change.Broadcast()
	return n, err
}

// answered waits until no request is open.
func (g *eofGate) answered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.open) > 0 && len(g.asked) == 0 && !g.closed {
		g.change.Wait()
	}
}

// Close implements [io.Closer], for both sides.
func (g *eofGate) Close() error {
	g.mu.Lock()
	before := g.closed
	g.closed = true
	g.change.Broadcast()
	g.mu.Unlock()
	if before {
		return nil
	}
	return errors.Join(g.in.Close(), g.out.Close())
}

// key returns the same key for all spellings of an ID.
func key(id jsontext.Value) string {
	if text, err := jsontext.AppendUnquote(nil, id); err == nil {
		return `"` + string(text)
	}
	n, err := strconv.ParseFloat(string(id), 64)
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}
