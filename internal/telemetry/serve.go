package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Server is an HTTP server that runs.
type Server struct {
	srv  *http.Server
	addr net.Addr
	done chan struct{}
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
	s := &Server{
		srv:  &http.Server{Handler: handler, ReadHeaderTimeout: readHeader, IdleTimeout: idle},
		addr: l.Addr(), done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		if err := s.srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			_ = l.Close()
		}
	}()
	return s, nil
}

// URL is where the server is, http://HOST:PORT.
func (s *Server) URL() string { return "http://" + s.addr.String() }

// Stop takes no more requests, lets the running ones end until ctx does, and
// closes the rest.
func (s *Server) Stop(ctx context.Context) {
	if err := s.srv.Shutdown(ctx); err != nil {
		_ = s.srv.Close()
	}
	<-s.done
}
