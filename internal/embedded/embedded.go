// Package embedded runs a NATS server with JetStream inside this process, for
// `helve up`, for benchmarks and for tests.
//
// It is the real server with the real file storage: what is tested on it holds
// on a cluster, save for what replicas add. It promises that a message it
// acknowledged survives the death of the process; surviving a power cut needs
// SyncAlways.
package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// MaxPayload is the largest NATS message the embedded server takes, in bytes:
// what PROTOCOL section 4 allows as a request body.
const MaxPayload = 8 << 20

// Options says where the server listens and keeps its data.
type Options struct {
	// Addr is HOST:PORT; port 0 picks a free one.
	Addr string
	// Dir holds JetStream's files.
	Dir string
	// SyncAlways writes each message through to the disk before it is
	// acknowledged: the power profile.
	SyncAlways bool
	// Name is the server's name; "helve" if empty.
	Name string
}

// Server is a running NATS server.
type Server struct {
	srv    *server.Server
	unlock func()
}

// startTimeout bounds how long the server may take until it serves.
const startTimeout = 10 * time.Second

// Start runs a server until [Server.Stop].
func Start(opts Options) (*Server, error) {
	host, portText, err := net.SplitHostPort(opts.Addr)
	if err != nil {
		return nil, fmt.Errorf("nats address %q: %w", opts.Addr, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return nil, fmt.Errorf("nats address %q: port is not a number", opts.Addr)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	} else if err := free(opts.Addr); err != nil {
		return nil, fmt.Errorf("nats address %q cannot be listened on: %w", opts.Addr, err)
	}
	unlock, err := lock(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("embedded nats: %w", err)
	}
	srv, err := start(opts, host, port)
	if err != nil {
		unlock()
		return nil, err
	}
	return &Server{srv: srv, unlock: unlock}, nil
}

func start(opts Options, host string, port int) (*server.Server, error) {
	srv, err := server.NewServer(&server.Options{
		ServerName: cmp.Or(opts.Name, "helve"),
		Host:       host,
		Port:       port,
		JetStream:  true,
		StoreDir:   opts.Dir,
		SyncAlways: opts.SyncAlways,
		MaxPayload: MaxPayload,
		NoSigs:     true,
		// Nearly every subject is that of one call, so what the server remembers of a
		// subject it never needs again: to remember cost it a twentieth of its time.
		NoSublistCache: true,
	})
	if err != nil {
		return nil, fmt.Errorf("embedded nats: %w", err)
	}
	log := make(failures, 1)
	srv.SetLoggerV2(log, false, false, false)
	srv.Start()
	select {
	case why := <-log:
		srv.Shutdown()
		return nil, fmt.Errorf("embedded nats in %q: %s", opts.Dir, why)
	default:
	}
	if !srv.ReadyForConnections(startTimeout) {
		srv.Shutdown()
		return nil, errors.New("embedded nats: not ready in time; is the address in use, or the data directory not writable?")
	}
	return srv, nil
}

// free reports why an address cannot be listened on. The server itself would
// say so only after it has opened its files, which may be those of the server
// that has the address.
func free(addr string) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}

// URL is where clients connect, nats://HOST:PORT.
func (s *Server) URL() string { return s.srv.ClientURL() }

// Stop ends the server after it has written what it holds.
func (s *Server) Stop() {
	s.srv.Shutdown()
	s.srv.WaitForShutdown()
	s.unlock()
}
