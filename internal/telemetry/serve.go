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

// Server is an HTTP server that runs.
type Server struct {
	srv    *http.Server
	listen net.Listener
	done   chan struct{}

	leaving atomic.Bool
	open    atomic.Int64  // connections
	empty   chan struct{} // has a value when the last one was closed while leaving
}

// idle is how long a connection without a request is kept: whoever opens thousands
// and asks for nothing must not hold them for ever.
const idle = 3 * time.Minute

// Serve listens on addr, HOST:PORT, and serves until Stop; port 0 picks a free
// one.
func Serve(addr string, handler http.Handler, readHeader time.Duration) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("http: %w; choose another address", err)
	}
	s := &Server{listen: l, done: make(chan struct{}), empty: make(chan struct{}, 1)}
	s.srv = &http.Server{Handler: s.parting(handler), ReadHeaderTimeout: readHeader, IdleTimeout: idle, ConnState: s.count}
	go func() {
		defer close(s.done)
		if err := s.srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			_ = l.Close()
		}
	}()
	return s, nil
}

// URL is where the server is, http://HOST:PORT.
func (s *Server) URL() string { return "http://" + s.listen.Addr().String() }

// parting has the last answer on a connection say so: what a client sends over a
// connection that is being closed is lost.
func (s *Server) parting(next http.Handler) http.Handler {
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
	case http.StateActive, http.StateIdle: // the connection stays
	}
}

// Leave lets clients go elsewhere before Stop: nobody can connect any more, and for as
// long as linger, or until none is connected, each answer is the last on its
// connection.
func (s *Server) Leave(ctx context.Context, linger time.Duration) {
	s.leaving.Store(true)
	_ = s.listen.Close() // first, while few are about to connect: who is half in the door is thrown out
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

// Stop takes no more requests, lets the running ones end until ctx does, and
// closes the rest.
func (s *Server) Stop(ctx context.Context) {
	if err := s.srv.Shutdown(ctx); err != nil {
		_ = s.srv.Close()
	}
	<-s.done
}
