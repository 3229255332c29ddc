package worker

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Program is a worker program: the tools, parts and functions that it adds to the
// platform.
type Program struct {
	Sets  []*tool.Set
	Parts []toolbox.Part
	// Middleware runs around every tool, the first one outermost.
	Middleware []tool.Middleware
	// Started, if set, is called once when the worker takes calls, on its own goroutine.
	// It may run until ctx ends, which is when the drain begins.
	Started func(ctx context.Context, providers *toolbox.Providers) error
	// Home is the pool of tools that name none; the default pool if it is empty.
	Home string
}

// Serve runs one worker with its own HTTP listeners until ctx ends or an operator orders it
// to drain; then it drains. It
// prints the ready line to stdout when the worker takes calls.
func (p Program) Serve(ctx context.Context, cfg config.Config, kit *telemetry.Kit, stdout io.Writer) error {
	self, takes, err := starting(cfg, kit) // before /readyz is served
	if err != nil {
		return err
	}
	admin, err := telemetry.OpenAdmin(cfg.HTTP.AdminAddr, telemetry.AdminOptions{
		Metrics: kit.Metrics, Health: kit.Health, Pprof: cfg.Telemetry.Pprof, HealthOnly: !identity.Loopback(cfg.Worker.HTTPAddr),
	}, cfg.HTTP.ReadHeaderTimeout, kit.Log)
	if err != nil {
		return err
	}
	defer admin.Stop(cfg.HTTP.ShutdownTimeout)
	srv, err := telemetry.Serve(cfg.Worker.HTTPAddr, admin.Public, cfg.HTTP.ReadHeaderTimeout)
	if err != nil {
		return err
	}
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.HTTP.ShutdownTimeout)
		defer cancel()
		srv.Stop(bounded)
	}()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	context.AfterFunc(ctx, kit.Health.Drain)
	return p.run(ctx, leave, cfg, kit, self, takes(func(id string) {
		fmt.Fprintf(stdout, "ready worker=%s pools=%s http=%s\n", id, strings.Join(cfg.Worker.Pools, ","), srv.URL())
	}))
}

// Embed runs one worker in a process that has its own telemetry and HTTP listeners until
// ctx ends or an operator orders it to drain; then it drains. It calls ready once, when the worker takes calls.
func (p Program) Embed(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func(id string)) error {
	self, takes, err := starting(cfg, kit)
	if err != nil {
		return err
	}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	return p.run(ctx, leave, cfg, kit, self, takes(ready))
}
