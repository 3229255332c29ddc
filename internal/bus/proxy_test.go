package bus_test

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/embedded"
)

// lossy is a TCP proxy in front of a server that can lose one answer.
type lossy struct {
	URL  string
	Lost chan struct{} // told when an answer was lost

	mu   sync.Mutex
	word []byte
}

// newLossy starts a proxy in front of srv.
func newLossy(t *testing.T, srv *embedded.Server) *lossy {
	t.Helper()
	target, err := url.Parse(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &lossy{URL: "nats://" + l.Addr().String(), Lost: make(chan struct{}, 1)}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", target.Host)
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

// LoseNext makes the proxy lose the next answer of the server with word in it.
func (p *lossy) LoseNext(word string) {
	p.mu.Lock()
	p.word = []byte(word)
	p.mu.Unlock()
}

func (p *lossy) answers(client io.Writer, server io.Reader) {
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
