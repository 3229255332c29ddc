// Package embedded runs a NATS server with JetStream inside this process, for
// `helve up`, for benchmarks and for tests.
//
// It is the real server with the real file storage: what is tested on it is true of a
// cluster, except for replication. It promises that an acknowledged message survives
// the death of the process; surviving a power failure needs SyncAlways. After a write
// that failed because the device was full, the server is restarted in the process as
// soon as there is room.
package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/zap"
)

// MaxPayload is the largest NATS message the embedded server accepts, in bytes: the
// limit of a request body in docs/protocol.md.
const MaxPayload = 8 << 20

// Options configure the server.
type Options struct {
	// Addr is HOST:PORT; port 0 picks a free one.
	Addr string
	// Dir holds JetStream's files.
	Dir string
	// MaxStore bounds the sum of all bounds of streams, in bytes; 0 means three
	// quarters of what is free on the device when the server starts.
	MaxStore int64
	// SyncAlways writes each message through to the disk before it is
	// acknowledged: the power profile.
	SyncAlways bool
	// Name is the server's name; "helve" if empty.
	Name string
	// Log receives the server's warnings and errors; nil for none.
	Log *zap.Logger
	// Routes makes the server a member of a cluster: HOST:PORT where it listens for the
	// others, then the addresses of the others. All have the same routes, each its own first.
	Routes []string
	// LeaveGrace and LeaveWithin are the times after which a server that leaves its cluster
	// begins to disconnect its clients, and has disconnected all; 0 means 1 s and 3 s.
	LeaveGrace, LeaveWithin time.Duration
	// Monitor is HOST:PORT of the server's monitoring over HTTP, such as /jsz; none if empty.
	Monitor string
	// Users are the credentials that may connect. Without any, everybody may do
	// everything.
	Users []User
}

// User is a credential of the server and the subjects it may use.
type User struct {
	// Key is the public NKey.
	Key                string
	Publish, Subscribe []string
	// Answer permits one reply to each request that the user receives.
	Answer bool
}

// answerTime is the time limit of a reply: the longest that a tool may run.
const answerTime = time.Hour

func (u User) nkey() *server.NkeyUser {
	may := &server.Permissions{
		Publish: &server.SubjectPermission{Allow: u.Publish}, Subscribe: &server.SubjectPermission{Allow: u.Subscribe},
	}
	if u.Answer {
		may.Response = &server.ResponsePermission{MaxMsgs: 1, Expires: answerTime}
	}
	return &server.NkeyUser{Nkey: u.Key, Permissions: may}
}

// Server is a running NATS server.
type Server struct {
	opts     Options
	host     string
	port     int
	url      string
	unlock   func()
	lines    *lines
	look     chan struct{} // a write failed
	stopping chan struct{}
	stopOnce sync.Once
	guarded  chan struct{} // closed when guard has returned

	mu     sync.Mutex
	srv    *server.Server
	full   bool // the device has no room
	failed bool // a write of this srv failed
}

// startTimeout bounds the time until the server accepts connections.
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
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	s := &Server{
		opts: opts, host: host, port: port, unlock: unlock,
		look: make(chan struct{}, 1), stopping: make(chan struct{}), guarded: make(chan struct{}),
	}
	s.lines = newLines(opts.Log, s.unwritten)
	if s.srv, err = start(opts, host, port, s.lines); err != nil {
		unlock()
		return nil, err
	}
	s.url = s.srv.ClientURL()
	if at, ok := s.srv.Addr().(*net.TCPAddr); ok {
		s.port = at.Port // the chosen port, for a restart
	}
	go s.guard()
	return s, nil
}

func start(opts Options, host string, port int, log *lines) (*server.Server, error) {
	var users []*server.NkeyUser
	for _, u := range opts.Users {
		users = append(users, u.nkey())
	}
	conf := &server.Options{
		Nkeys:             users,
		ServerName:        cmp.Or(opts.Name, "helve"),
		Host:              host,
		Port:              port,
		JetStream:         true,
		StoreDir:          opts.Dir,
		JetStreamMaxStore: opts.MaxStore,
		SyncAlways:        opts.SyncAlways,
		MaxPayload:        MaxPayload,
		NoSigs:            true,
		// Nearly every subject belongs to one call, so the server never uses its cache
		// of a subject again: filling it took a twentieth of its time.
		NoSublistCache: true,
	}
	if err := errors.Join(opts.join(conf), opts.monitor(conf)); err != nil {
		return nil, err
	}
	srv, err := server.NewServer(conf)
	if err != nil {
		return nil, fmt.Errorf("embedded nats: %w", err)
	}
	srv.SetLoggerV2(log, false, false, false)
	srv.Start()
	select {
	case why := <-log.fatal:
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

// free returns the reason why an address cannot be listened on. The server itself would
// report it only after it has opened its files, which may be those of the server that
// uses the address.
func free(addr string) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}

// URL returns the address for clients, nats://HOST:PORT.
func (s *Server) URL() string { return s.url }

// Stop ends the server after it has written its pending data.
func (s *Server) Stop() { s.end((*server.Server).Shutdown) }

// Leave ends the server of a cluster as an operator would before an upgrade (lame duck
// mode): other servers become the leaders of its streams first, then its clients are sent
// to them.
func (s *Server) Leave() { s.end((*server.Server).LameDuckShutdown) }

func (s *Server) end(shutdown func(*server.Server)) {
	s.stopOnce.Do(func() { close(s.stopping) })
	<-s.guarded
	s.mu.Lock()
	srv := s.srv
	s.mu.Unlock()
	shutdown(srv)
	srv.WaitForShutdown()
	s.unlock()
}
