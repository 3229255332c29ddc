package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Server is a running HTTP server.
type Server struct {
	srv    *http.Server
	listen net.Listener
	done   chan struct{}

	leaving atomic.Bool
	open    atomic.Int64  // connections
	empty   chan struct{} // receives a value when the last connection was closed while leaving
}

// idle is the time for which a connection without a request is kept: a client must not
// hold thousands of idle connections.
const idle = 3 * time.Minute

// Serve listens on addr, HOST:PORT, and serves until Stop; port 0 picks a free
// one.
func Serve(addr string, handler http.Handler, readHeader time.Duration) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	s := &Server{listen: l, done: make(chan struct{}), empty: make(chan struct{}, 1)}
	s.srv = &http.Server{Handler: s.closeLast(handler), ReadHeaderTimeout: readHeader, IdleTimeout: idle, ConnState: s.count}
	go func() {
		defer close(s.done)
		if err := s.srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			_ = l.Close()
		}
	}()
	return s, nil
}

// URL returns the address of the server, http://HOST:PORT.
func (s *Server) URL() string { return "http://" + s.listen.Addr().String() }

// closeLast adds "Connection: close" to the last answer on a connection, because a
// request that a client sends on a connection being closed is lost.
func (s *Server) closeLast(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		if s.open.Add(-1) == 0 && s.leaving.Load() {
			select {
			case s.empty <- struct{}{}:
			default:
			}
		}
	case http.StateActive, http.StateIdle: // the connection stays open
	}
}

// Announce goes on accepting connections until delay is over or ctx ends, but each answer
// is the last on its connection: load balancers that learn from /readyz that the process
// leaves need this long until they no longer send to it.
func (s *Server) Announce(ctx context.Context, delay time.Duration) {
	if delay <= 0 {
		return
	}
	s.leaving.Store(true)
	patience := time.NewTimer(delay)
	defer patience.Stop()
	select {
	case <-patience.C:
	case <-ctx.Done():
	}
}

// Leave lets clients move to other servers before Stop: no new connection is accepted,
// and for as long as linger, or until none is left, each answer is the last on its
// connection.
func (s *Server) Leave(ctx context.Context, linger time.Duration) {
	s.leaving.Store(true)
	_ = s.listen.Close() // first, while few clients are connecting: a connection that is not accepted yet is reset
	if s.open.Load() == 0 || linger <= 0 {
		return
	}
	patience := time.NewTimer(linger)
	defer patience.Stop()
	select {
	case <-s.empty:
	case <-patience.C:
	case <-ctx.Done():
	}
}

// Stop accepts no more requests, waits for the running ones until ctx ends, and closes
// the rest.
func (s *Server) Stop(ctx context.Context) {
	if err := s.srv.Shutdown(ctx); err != nil {
		_ = s.srv.Close()
	}
	<-s.done
}
