package netguard

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// hang starts a server that serves each connection with talk, which returns when it
// has sent everything; the connection stays open until the test ends.
func hang(t *testing.T, talk func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			go talk(conn)
		}
	}()
	return l.Addr().String()
}

// TestHangs: a server that hangs at any phase costs a request at most the time of its
// caller, and the error is timeout.
func TestHangs(t *testing.T) {
	silent := func(net.Conn) {}
	read := func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)) }
	says := func(text string) func(net.Conn) {
		return func(c net.Conn) { read(c); _, _ = io.WriteString(c, text) }
	}
	trickle := func(head, more string) func(net.Conn) {
		return func(c net.Conn) {
			says(head)(c)
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for range tick.C {
				if _, err := io.WriteString(c, more); err != nil {
					return
				}
			}
		}
	}
	for _, tt := range []struct {
		name, scheme string
		talk         func(net.Conn)
	}{
		{"after the connection", "http", silent},
		{"in the TLS handshake", "https", silent},
		{"in the middle of the TLS handshake", "https", says("\x16\x03\x03\x40\x00\x02")},
		{"before the status", "http", read},
		{"in the headers", "http", says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n")},
		{"headers that trickle", "http", trickle("HTTP/1.1 200 OK\r\n", "A: b\r\n")},
		{"interim answers that trickle", "http", trickle("", "HTTP/1.1 102 Processing\r\n\r\n")},
		{"before the body", "http", says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")},
		{"in the body", "http", says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")},
		{"a body that trickles", "http", trickle("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			at := hang(t, tt.talk)
			g := open(t, Options{Allow: []string{"127.0.0.1"}})
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			resp, err := g.Do(request(t, tt.scheme+"://"+at).WithContext(ctx))
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			if tool.AsError(err) == nil || tool.AsError(err).Kind != tool.Timeout {
				t.Errorf("ended with %v, want timeout", err)
			}
		})
	}
	// Without a deadline of the caller the guard has its own for the start of an answer.
	g := open(t, Options{Allow: []string{"127.0.0.1"}, HeaderTimeout: 50 * time.Millisecond})
	_, err := g.Do(request(t, "http://"+hang(t, read)))
	wantError(t, "without a deadline", err, tool.Timeout, "timed out")
}

// TestConnectionsAreReused: as many connections as requests run concurrently stay open for
// the next ones.
func TestConnectionsAreReused(t *testing.T) {
	const callers, rounds = 64, 4
	opened := make(chan struct{}, callers*rounds)
	server := httptest.NewUnstartedServer(http.HandlerFunc(hello))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened <- struct{}{}
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	at := server.Listener.Addr().String()
	g := open(t, Options{Allow: []string{at}})
	for range rounds {
		arrived := make(chan *http.Response, callers)
		for range callers {
			go func() {
				resp, err := g.Do(request(t, "http://"+at))
				if err != nil {
					t.Error(err)
				}
				arrived <- resp
			}()
		}
		var all []*http.Response
		for range callers {
			all = append(all, <-arrived)
		}
		for _, resp := range all { // all connections are busy until here
			if resp != nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		}
	}
	// A connection is free a moment after the last byte of its answer, so a next request may
	// open another one.
	if n := len(opened); n > callers*rounds*3/4 {
		t.Errorf("%d connections for %d rounds of %d requests, want them used again", n, rounds, callers)
	}
}
