package queuetest

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/bus/embedded"
)

// Lossy is a TCP proxy in front of a server that can drop one answer.
type Lossy struct {
	URL  string
	Lost chan struct{} // receives when an answer was dropped

	mu   sync.Mutex
	word []byte
}

// NewLossy starts a proxy in front of srv.
func NewLossy(t testing.TB, srv *embedded.Server) *Lossy {
	t.Helper()
	target, err := url.Parse(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Lossy{URL: "nats://" + l.Addr().String(), Lost: make(chan struct{}, 1)}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", target.Host)
			if err != nil {
				_ = client.Close()
				return
			}
			running.Go(func() { _, _ = io.Copy(server, client); _ = server.Close() })
			running.Go(func() { p.answers(client, server); _ = client.Close() })
		}
	})
	t.Cleanup(func() { _ = l.Close(); running.Wait() })
	return p
}

// LoseNext makes the proxy drop the next answer of the server that contains word.
func (p *Lossy) LoseNext(word string) {
	p.mu.Lock()
	p.word = []byte(word)
	p.mu.Unlock()
}

// Mute makes the proxy drop all answers until the returned function is called.
func (p *Lossy) Mute() (unmute func()) {
	p.mu.Lock()
	return p.mu.Unlock
}

func (p *Lossy) answers(client io.Writer, server io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := server.Read(buf)
		p.mu.Lock()
		lose := len(p.word) > 0 && bytes.Contains(buf[:n], p.word)
		if lose {
			p.word = nil
			p.Lost <- struct{}{}
		}
		p.mu.Unlock()
		if !lose {
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
