package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/embedded"
	"github.com/helve-dev/helve/internal/front"
	"github.com/helve-dev/helve/internal/sandbox/sandboxtest"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/worker"
)

// plan says what a system is made of. The zero value is one dispatcher and one
// worker on a server of their own.
type plan struct {
	dispatchers, workers int
	// url is a NATS server to use in place of an own one.
	url     string
	config  func(*config.Config)
	options func(*bus.Options)
	// program is what the workers bring beside the tools.
	program worker.Program
	// before runs ahead of everything, where it is not nil.
	before func() error
}

// system is dispatchers and workers that talk through NATS only, with clients.
type system struct {
	plan plan
	cfg  config.Config
	kit  *telemetry.Kit // of the first dispatcher and of the workers
	logs *transcript

	// urls are the dispatchers, http://HOST:PORT. The metrics of the workers
	// are those of the first one, as in `helve up`.
	urls   []string
	nc     *nats.Conn
	client *http.Client

	stops []func() error // the last one is the first to run
}

// launch starts a system and drains it at the end of the test.
func launch(t *testing.T, p plan) *system {
	t.Helper()
	s, err := start(t.TempDir(), p)
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("the system did not drain: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// start starts a system whose data lies in dir. It must be stopped, also when
// the start failed.
func start(dir string, p plan) (*system, error) {
	s := &system{plan: p, cfg: config.Default(), logs: &transcript{}, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	s.cfg.Data, s.cfg.HTTP.Addr, s.cfg.Diagnostics = dir, "127.0.0.1:0", true
	s.cfg.HTTP.Linger = 0 // the clients are the test's own and know when it ends
	s.cfg.AllowHosts = []string{"127.0.0.1"}
	s.cfg.Docker.Host = "unix:///nonexistent/docker.sock" // whatever this machine has
	child, err := sandboxtest.Build()
	if err != nil {
		return s, err
	}
	s.cfg.Sandbox.Program = child
	s.cfg.Log.Format = "json"
	if p.config != nil {
		p.config(&s.cfg)
	}
	s.onStop(func() error { s.client.CloseIdleConnections(); return nil })
	if p.before != nil {
		if err := p.before(); err != nil {
			return s, err
		}
	}
	if err := s.connect(p.url); err != nil {
		return s, err
	}
	if s.kit, err = s.newKit(); err != nil {
		return s, err
	}
	// The workers drain after the dispatchers, so they start before them.
	for range max(p.workers, 1) {
		if _, err := s.addWorker(); err != nil {
			return s, err
		}
	}
	kit := s.kit
	for range max(p.dispatchers, 1) {
		if _, err := s.addDispatcher(kit); err != nil {
			return s, err
		}
		if kit, err = s.newKit(); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s *system) onStop(f func() error) { s.stops = append(s.stops, f) }

func (s *system) stop() error {
	var errs []error
	for i := len(s.stops) - 1; i >= 0; i-- {
		errs = append(errs, s.stops[i]())
	}
	s.stops = nil
	return errors.Join(errs...)
}

// connect connects the client to url, or to a new server.
func (s *system) connect(url string) (err error) {
	if url == "" {
		srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: filepath.Join(s.cfg.Data, "nats")})
		if err != nil {
			return err
		}
		s.onStop(func() error { srv.Stop(); return nil })
		url = srv.URL()
	}
	s.cfg.NATS.URL = url
	if s.nc, err = nats.Connect(url); err != nil {
		return err
	}
	s.onStop(func() error { s.nc.Close(); return nil })
	return nil
}

func (s *system) newKit() (*telemetry.Kit, error) {
	kit, err := telemetry.NewKit(context.Background(), telemetry.KitFromConfig(s.cfg, "e2e"), s.logs)
	if err == nil {
		s.logs.kits = append(s.logs.kits, kit)
		s.onStop(func() error { kit.Close(context.Background()); return nil })
	}
	return kit, err
}

// addWorker starts one more worker and returns what drains it.
func (s *system) addWorker() (drain func() error, err error) {
	program := s.plan.program
	program.Sets = append(tools.Builtin(), stepsSet())
	p, _, err := spawn(func(ctx context.Context, ready func(string)) error {
		return program.Embed(ctx, s.cfg, s.kit, ready)
	})
	s.onStop(p.drain)
	return p.drain, err
}

// addDispatcher starts one more dispatcher and returns what drains it.
func (s *system) addDispatcher(kit *telemetry.Kit) (drain func() error, err error) {
	p, url, err := spawn(func(ctx context.Context, ready func(string)) error {
		return front.Run(ctx, s.cfg, kit, ready, s.plan.options)
	})
	s.onStop(p.drain)
	s.urls = append(s.urls, url)
	return p.drain, err
}

// process is a goroutine tree that runs until it is told to drain.
type process struct {
	drain func() error
}

// spawn runs a process and returns what it says when it is ready.
func spawn(run func(ctx context.Context, ready func(string)) error) (*process, string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan string, 1)
	done := make(chan error, 1)
	go func() { done <- run(ctx, func(said string) { ready <- said }) }()
	p := &process{drain: sync.OnceValue(func() error { cancel(); return <-done })}
	select {
	case said := <-ready:
		return p, said, nil
	case err := <-done:
		done <- err
		return p, "", fmt.Errorf("ended before it was ready: %w", err)
	}
}
