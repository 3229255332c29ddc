package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// quickAnswer is the answer of the server that is always quick.
const quickAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 35\r\n\r\n" +
	`{"ok":true,"users":["alice","bob"]}`

// serveQuick answers each request of a connection with the same bytes, and reads no more of
// it than where it ends: a server of net/http would cost about as much CPU as the client
// that is measured.
func serveQuick(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for {
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			if len(line) == len("\r\n") {
				break
			}
		}
		if _, err := io.WriteString(conn, quickAnswer); err != nil {
			return
		}
	}
}

// listenQuick serves the server that is always quick until ctx ends.
func listenQuick(ctx context.Context) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // it was closed
			}
			go serveQuick(conn)
		}
	}()
	return l, nil
}

// serveOutside serves two addresses that tools send requests to. One answers immediately, the
// other answers /slow when /release was requested, or after a while; /waiting returns how
// many wait.
func (c *child) serveOutside(ctx context.Context) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var waiting atomic.Int64
	released := make(chan struct{})
	quick, err := listenQuick(ctx)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /slow", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		until := released
		mu.Unlock()
		waiting.Add(1)
		defer waiting.Add(-1)
		limit := time.NewTimer(25 * time.Second)
		defer limit.Stop()
		select {
		case <-until:
		case <-limit.C:
		case <-r.Context().Done():
		}
		_, _ = w.Write([]byte("late")) // it fails if the caller has gone
	})
	mux.HandleFunc("GET /waiting", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, waiting.Load()) })
	mux.HandleFunc("GET /release", func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		close(released)
		released = make(chan struct{})
	})
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: mux}
	go func() { _ = server.Serve(l) }() // it ends with Close
	fmt.Fprintf(c, "ready http=http://%s quick=http://%s\n", l.Addr(), quick.Addr())
	<-ctx.Done()
	return server.Close()
}
