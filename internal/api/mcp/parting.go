package mcp

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// parting is the two sides of a stream whose client may close its own while it still
// waits for answers, as a shell's pipe does. The SDK drops what is under way when it
// reads the end; so the end is told when every request has its answer. It is told at
// once where somebody would have to answer the server, since nobody can any more.
type parting struct {
	in  io.ReadCloser
	out io.WriteCloser

	part []byte // of a line that has not ended; only Read has it

	mu     sync.Mutex
	change sync.Cond
	open   map[string]bool // requests of the client
	asked  map[string]bool // requests of the server
	closed bool
}

// longest is a line that is not looked at any more: the SDK refuses it too.
const longest = 16 << 20

func newParting(in io.ReadCloser, out io.WriteCloser) *parting {
	p := &parting{in: in, out: out, open: map[string]bool{}, asked: map[string]bool{}}
	p.change.L = &p.mu
	return p
}

// Read implements [io.Reader] for the SDK.
func (p *parting) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	p.lines(b[:n])
	if errors.Is(err, io.EOF) {
		p.came(p.part)
		p.answered()
	}
	return n, err
}

// lines takes note of each line that has ended.
func (p *parting) lines(b []byte) {
	for {
		line, rest, ended := bytes.Cut(b, []byte{'\n'})
		if len(p.part)+len(line) <= longest {
			p.part = append(p.part, line...)
		}
		if !ended {
			return
		}
		p.came(p.part)
		p.part, b = p.part[:0], rest
	}
}

func (p *parting) came(line []byte) {
	m, _ := glance(line)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case m.Method == "":
		delete(p.asked, key(m.ID))
	case m.Method == "notifications/cancelled":
		delete(p.open, key(m.Params.RequestID))
	case named(m.ID) && m.Method != "subscriptions/listen": // which only the end ends
		p.open[key(m.ID)] = true
	}
}

// Write implements [io.Writer] for the SDK, which writes each message at once.
func (p *parting) Write(b []byte) (int, error) {
	n, err := p.out.Write(b)
	m, _ := glance(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case m.Method == "":
		delete(p.open, key(m.ID))
	case named(m.ID):
		p.asked[key(m.ID)] = true
	}
	p.change.Broadcast()
	return n, err
}

// answered waits until nothing is open.
func (p *parting) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.open) > 0 && len(p.asked) == 0 && !p.closed {
		p.change.Wait()
	}
}

// Close implements [io.Closer], for both sides.
func (p *parting) Close() error {
	p.mu.Lock()
	before := p.closed
	p.closed = true
	p.change.Broadcast()
	p.mu.Unlock()
	if before {
		return nil
	}
	return errors.Join(p.in.Close(), p.out.Close())
}

// key makes one of what is the same id, however it is written.
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
