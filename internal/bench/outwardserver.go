package bench

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// serveOutside is a server that tools send requests to: /quick is answered immediately,
// /slow when /release was requested, or after a while; /waiting returns how many wait.
func (c *child) serveOutside(ctx context.Context) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var waiting atomic.Int64
	released := make(chan struct{})
	mux := http.NewServeMux()
	says := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ok":true,"users":["alice","bob"]}`)) // it fails if the caller has gone
	}
	mux.HandleFunc("GET /quick", func(w http.ResponseWriter, _ *http.Request) { says(w) })
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
		says(w)
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
	fmt.Fprintf(c, "ready http=http://%s\n", l.Addr())
	<-ctx.Done()
	return server.Close()
}
