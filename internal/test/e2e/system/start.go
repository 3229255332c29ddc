package system

import (
	"context"
	"net/http"
	"path/filepath"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/sandboxtest"
)

// Start starts a system with its data in dir. It must be stopped, even if the start failed.
func Start(dir string, p Plan) (*System, error) {
	s := &System{dir: dir, plan: p, Config: config.Default(), Logs: &Transcript{}, Client: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: testtime.Patience(),
	}}
	s.Config.Data, s.Config.HTTP.Addr, s.Config.Diagnostics = dir, "127.0.0.1:0", true
	s.Config.HTTP.Linger = 0 // the clients belong to the test and know when it ends
	s.Config.AllowHosts = []string{"127.0.0.1"}
	s.Config.Docker.Host = "unix:///nonexistent/docker.sock" // whatever this machine has
	child, err := sandboxtest.Build()
	if err != nil {
		return s, err
	}
	s.Config.Sandbox.Program = child
	s.Config.Log.Format = "json"
	s.Config.Secrets.KeyFile = filepath.Join(dir, "secrets.key")
	if err := vault.Create(s.Config.Secrets.KeyFile); err != nil {
		return s, err
	}
	for _, group := range p.Groups {
		s.Config.Groups = append(s.Config.Groups, group+"=on")
	}
	if p.Config != nil {
		p.Config(&s.Config)
	}
	s.onStop("the idle HTTP connections", func() error { s.Client.CloseIdleConnections(); return nil })
	if p.Before != nil {
		if err := p.Before(); err != nil {
			return s, err
		}
	}
	if err := s.connect(p.URL); err != nil {
		return s, err
	}
	if s.Kit, err = s.newKit("worker"); err != nil {
		return s, err
	}
	// The workers drain after the dispatchers, so they start before them.
	for range max(p.Workers, 1) {
		if _, err := s.AddWorker(); err != nil {
			return s, err
		}
	}
	for range max(p.Dispatchers, 1) {
		if _, err := s.AddDispatcher(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// connect connects the client to url, or to a new server.
func (s *System) connect(url string) (err error) {
	if url == "" {
		srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: filepath.Join(s.Config.Data, "nats")})
		if err != nil {
			return err
		}
		s.onStop("the NATS server", func() error { srv.Stop(); return nil })
		url = srv.URL()
	}
	s.Config.NATS.URL = url
	if s.Conn, err = nats.Connect(url); err != nil {
		return err
	}
	s.onStop("the connection to NATS", func() error { s.Conn.Close(); return nil })
	return nil
}

// newKit returns the telemetry of one more process.
func (s *System) newKit(program string) (*telemetry.Kit, error) {
	kit, err := telemetry.NewKit(context.Background(), telemetry.KitFromConfig(s.Config, program), s.Logs)
	if err == nil {
		s.Logs.kits = append(s.Logs.kits, kit)
		s.onStop("the telemetry", func() error { kit.Close(context.Background()); return nil })
	}
	return kit, err
}
