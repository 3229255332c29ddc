package worker

import (
	"context"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/backend/netguard"
	service "github.com/helve-dev/helve/internal/backend/services"
	"github.com/helve-dev/helve/internal/backend/workspace"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/tools"
)

// run works until ctx ends, then drains. Ready is called once, with the
// worker's id, when it takes calls.
func (p Program) run(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func(id string)) error {
	sets := p.Sets
	if cfg.Diagnostics {
		sets = append(slices.Clip(sets), tools.Diagnostics())
	}
	reach, err := p.openPorts(cfg, kit)
	if err != nil {
		return err
	}
	defer reach.close()
	options := bus.FromConfig(cfg, "worker", kit.Log)
	options.State = kit.Metrics.Connected
	b, err := bus.Connect(options)
	if err != nil {
		return err
	}
	defer b.Close()
	kit.Health.Add("nats "+b.ID(), b.Check)
	if err := b.Prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // told to stop before NATS was ever there
		}
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	if reach.documents, err = openDocuments(life, b); err != nil {
		return err
	}
	w, err := assemble(life, cfg, kit, b, reach, sets)
	if err != nil {
		return err
	}
	if err := w.start(life); err != nil {
		return err
	}
	if err := b.Flush(life); err != nil {
		return err
	}
	kit.Log.Info("worker ready", zap.String("worker", w.ID()), zap.Strings("pools", cfg.Worker.Pools),
		zap.Int("slots", cfg.Worker.Slots), zap.Int("tools", len(w.tools.definitions())))
	ready(w.ID())
	done := p.started(ctx, w)
	<-ctx.Done()

	kit.Log.Info("worker drains", zap.String("worker", w.ID()))
	bounded, stop := context.WithTimeout(life, cfg.Worker.DrainTimeout)
	defer stop()
	err = w.drain(bounded)
	select {
	case <-done:
	case <-bounded.Done():
		kit.Log.Warn("the program's own start did not heed the end")
	}
	return err
}

// started calls what the program does beside the platform; it may last as long as ctx.
func (p Program) started(ctx context.Context, w *Worker) (done <-chan struct{}) {
	ended := make(chan struct{})
	if p.Started == nil {
		close(ended)
		return ended
	}
	go func() {
		defer close(ended)
		if err := p.Started(ctx, &Providers{w}); err != nil && ctx.Err() == nil {
			w.kit.Log.Error("the program's own start failed; the worker goes on without", zap.Error(err))
		}
	}()
	return ended
}

// openPorts opens what tools reach the world through, but for what lies in NATS.
func (p Program) openPorts(cfg config.Config, kit *telemetry.Kit) (ports, error) {
	files, err := workspace.New(cfg.Data)
	if err != nil {
		return ports{}, err
	}
	hosts, err := netguard.New(netguard.Options{Allow: cfg.AllowHosts})
	if err != nil {
		return ports{}, fmt.Errorf("allow_hosts: %w", err)
	}
	center, err := openServices(cfg, kit)
	if err != nil {
		hosts.Close()
		return ports{}, err
	}
	local, err := openMachine(cfg, files)
	if err != nil {
		hosts.Close()
		return ports{}, err
	}
	end := func() { local.close(); hosts.Close() }
	return ports{files: files, http: hosts, services: center, machine: local, middleware: p.Middleware, close: end}, nil
}

// openServices opens the config center; it is nil if none is configured.
func openServices(cfg config.Config, kit *telemetry.Kit) (services, error) {
	if cfg.ServicesFile == "" {
		return nil, nil
	}
	center, err := service.Open(cfg.ServicesFile)
	if err != nil {
		return nil, fmt.Errorf("services_file: %w", err)
	}
	center.Report(func(err error) {
		kit.Log.Error("the file of services was changed and is not usable; the old one holds", zap.Error(err))
	})
	return center, nil
}
