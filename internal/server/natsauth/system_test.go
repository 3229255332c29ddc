package natsauth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app/dispatcher"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/worker"
	"github.com/helve-dev/helve/worker/parts"
)

func patience() time.Duration { return testtime.Patience() }

// system is a server, a dispatcher and a worker, each as an operator has them
// from the files that Write wrote.
type system struct {
	dir     string
	tenants []string
	srv     *server.Server
	logs    *transcript

	worker, dispatcher *process
	apart              []string             // the pools whose workers have an account of their own
	change             func(*config.Config) // of the processes started from now on
	kits               []*telemetry.Kit
	up                 bool // the credentials are those of Local
}

// start starts a system; it must be stopped, also when that failed. The worker
// comes first: it may not make the streams and waits for the dispatcher.
func start(dir string, apart ...string) (*system, error) {
	s := &system{dir: dir, tenants: []string{"acme", "beta"}, logs: &transcript{}, apart: apart}
	if err := s.serve(-1); err != nil {
		return s, err
	}
	return s, s.run()
}

func (s *system) plan(port int) Server {
	return Server{
		Prefix: "helve.v1", Listen: fmt.Sprintf("127.0.0.1:%d", port), URL: fmt.Sprintf("nats://127.0.0.1:%d", port),
		Store: "store", Tenants: s.tenants, Pools: []string{"default", "gpu"}, Persons: []string{"acme/ann", "acme/bob"}, Affinity: true,
		Apart:    s.apart,
		Desktops: []string{"acme/ann", "acme/bob"}, DesktopTools: []string{"look_at_screen", "touch_screen", "wait_at_screen"},
	}
}

// serve starts the NATS server from its configuration file.
func (s *system) serve(port int) error {
	if err := s.plan(port).Write(s.dir); err != nil {
		return err
	}
	opts, err := server.ProcessConfigFile(filepath.Join(s.dir, ConfFile))
	if err != nil {
		return err
	}
	opts.NoSigs, opts.NoLog = true, true
	if s.srv, err = server.NewServer(opts); err != nil {
		return err
	}
	s.srv.Start()
	if !s.srv.ReadyForConnections(patience()) {
		return errors.New("the server is not ready")
	}
	return s.plan(s.port()).Write(s.dir) // now that the contexts can name its port
}

func (s *system) port() int {
	addr, _ := s.srv.Addr().(*net.TCPAddr)
	return addr.Port
}

func (s *system) run() error {
	if err := s.runWorker(); err != nil {
		return err
	}
	var err error
	s.dispatcher, err = s.spawn(Dispatcher, func(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func()) error {
		return dispatcher.Run(ctx, cfg, kit, func(string) { ready() }, nil)
	})
	if err != nil {
		return err
	}
	return errors.Join(s.dispatcher.ready(), s.worker.ready())
}

func (s *system) runWorker() (err error) {
	s.worker, err = s.spawn(Worker, func(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func()) error {
		return worker.Program{Sets: tools.Builtin(), Parts: parts.All()}.Embed(ctx, cfg, kit, func(string) { ready() })
	})
	return err
}

// spawn starts a process of Helve with the credentials of its role.
func (s *system) spawn(role Role, run func(context.Context, config.Config, *telemetry.Kit, func()) error) (*process, error) {
	return s.spawnAs(string(role), role, func(*config.Config) {}, run)
}

// spawnAs starts a process of Helve with the credentials whose files have a name.
func (s *system) spawnAs(
	file string, role Role, change func(*config.Config), run func(context.Context, config.Config, *telemetry.Kit, func()) error,
) (*process, error) {
	cfg := config.Default()
	cfg.Data, cfg.HTTP.Addr, cfg.Diagnostics, cfg.Log.Format = filepath.Join(s.dir, "data"), "127.0.0.1:0", true, "json"
	cfg.Worker.Affinity = config.AffinityUser
	cfg.NATS.Context = filepath.Join(s.dir, "contexts", file+".json")
	change(&cfg)
	if s.change != nil {
		s.change(&cfg)
	}
	kit, err := telemetry.NewKit(context.Background(), telemetry.KitFromConfig(cfg, string(role)), s.logs)
	if err != nil {
		return nil, err
	}
	s.kits = append(s.kits, kit)
	ctx, cancel := context.WithCancel(context.Background())
	said, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- run(ctx, cfg, kit, func() { close(said) }) }()
	p := &process{drain: sync.OnceValue(func() error { cancel(); return <-done })}
	p.ready = func() error {
		select {
		case <-said:
			return nil
		case err := <-done:
			done <- err
			return fmt.Errorf("the %s ended before it was ready: %w", role, err)
		case <-time.After(patience()):
			return fmt.Errorf("the %s is not ready:\n%s", role, s.logs)
		}
	}
	return p, nil
}

// process is a dispatcher or a worker.
type process struct {
	ready, drain func() error
}

func (s *system) drain() error {
	var errs []error
	for _, p := range []*process{s.dispatcher, s.worker} {
		if p != nil {
			errs = append(errs, p.drain())
		}
	}
	return errors.Join(errs...)
}

func (s *system) stop() error {
	err := s.drain()
	for _, kit := range s.kits {
		kit.Close(context.Background())
	}
	if s.srv != nil {
		s.srv.Shutdown()
		s.srv.WaitForShutdown()
	}
	return err
}

// transcript is the log of all processes.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (l *transcript) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *transcript) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// nameless is the request for a consumer of a bucket without a name.
var nameless = regexp.MustCompile(`\$JS\.API\.CONSUMER\.CREATE\.KV_[a-z_]+\\*"`)

// violations returns the lines about permission violations, except those of a worker
// before the streams exist, and those of nats.go when it loses the connection while it
// recreates the consumer of a bucket: it then assumes a server before 2.9, whose
// request names no filter, and tries again later.
func (l *transcript) violations() (lines []string) {
	for line := range strings.Lines(l.String()) {
		if strings.Contains(strings.ToLower(line), "permissions violation") && !strings.Contains(line, "STREAM.UPDATE") &&
			!strings.Contains(line, "JS.API.INFO") &&
			!nameless.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}
