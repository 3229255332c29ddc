package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/engine/gate"
	"github.com/helve-dev/helve/internal/lib/money"
	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/internal/ports/netguard"
	service "github.com/helve-dev/helve/internal/ports/services"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/server/filetransfer"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/equip"
	"github.com/helve-dev/helve/internal/toolbox/personal"
	"github.com/helve-dev/helve/internal/tools/diagnostics"
	"github.com/helve-dev/helve/tool"
)

// run works until ctx ends, then drains. It calls ready once, with the worker's id, when
// the worker takes calls.
//
// Leave ends ctx: an operator may order the worker to drain.
func (p Program) run(
	ctx context.Context, leave func(), cfg config.Config, kit *telemetry.Kit, self name, ready func(id string),
) (failed error) {
	if err := toolbox.Required(p.Parts, cfg); err != nil {
		return err
	}
	reach, err := p.openPorts(cfg, kit)
	if err != nil {
		return err
	}
	defer reach.close()
	q, err := queue.Connect(self.options)
	if err != nil {
		return err
	}
	defer q.Close()
	defer forget(kit, q.Conn.ID())
	defer reach.watched(kit, q)()
	switch err := q.Prepare(ctx); {
	case err != nil && ctx.Err() != nil:
		return nil // stopped before NATS was ever there
	case err != nil:
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	start := natsio.Starting(ctx, q.Conn, end)
	defer func() { failed = start.Result(failed) }()
	if reach.Services, err = followServices(life, cfg, kit, q, reach.Services); err != nil {
		return err
	}
	unread, err := reach.openOutward(life, cfg, kit, q)
	if err != nil {
		return err
	}
	defer unread()
	if err := prove(life, cfg, kit, q, self.proof); err != nil {
		return fmt.Errorf("keys of audit records: %w", err)
	}
	records := trail.Writer{Queue: q, Metrics: kit.Metrics, Log: kit.Log, Proof: self.proof}
	w, err := assemble(life, cfg, kit, records, reach, p.sets(cfg))
	if err != nil {
		return err
	}
	w.leave = leave
	defer w.measure(life)()
	data, files := w.servers(reach)
	w.member.Homed = files.ServeHome
	// Dispatchers ask for the tasks as soon as they know of the worker.
	if err := errors.Join(data.Serve(life), w.start(life), files.Serve(life)); err != nil {
		return err
	}
	if err := q.Conn.Flush(life); err != nil || !start.Done() {
		return err
	}
	w.logReady()
	ready(w.ID())
	done := p.hook(ctx, w)
	<-ctx.Done()
	return w.end(life, done)
}

// servers returns what answers dispatchers about personal data, and about files.
func (w *Worker) servers(reach ports) (*personal.Server, *filetransfer.Server) {
	pools := slices.Collect(maps.Keys(w.pools))
	files := filetransfer.NewServer(filetransfer.ServerOptions{
		Queue: w.queue, Files: reach.Files, Pools: pools, Apart: w.member.FilesApart, Log: w.kit.Log,
	})
	return personal.New(personal.Options{
		Queue: w.queue, Pools: pools, Keeper: reach.Machine.Keeper(), Tasks: reach.Machine.Tasks(), Store: w.member.Store(),
		Apart: w.member.DataApart, TestService: reach.testService, Erase: reach.Files.Erase, Log: w.kit.Log,
		Rules: gate.Explainer{
			Worker: w.ID(), Rules: w.rules, Lookup: w.tools.Lookup,
			Known: func(tenant, user, name string) (*tool.Definition, bool) {
				return w.catalogue.Of(tenant, user).Lookup(name)
			},
		},
	}), files
}

// end drains the worker, and waits for the start hook, within the time for that.
func (w *Worker) end(life context.Context, hook <-chan struct{}) error {
	w.kit.Log.Info("worker drain started", zap.String("worker", w.ID()))
	bounded, stop := context.WithTimeout(life, w.cfg.Worker.DrainTimeout)
	defer stop()
	err := w.drain(bounded)
	select {
	case <-hook:
	case <-bounded.Done():
		w.kit.Log.Warn("worker start hook ignored shutdown")
	}
	return err
}

// logReady logs that the worker takes calls, and what its operator should know about it.
func (w *Worker) logReady() {
	warnAboutRoot(w.kit.Log, os.Getuid())
	warnAboutSettings(w.tools, w.cfg, w.kit.Log)
	w.kit.Log.Info("worker ready", zap.String("worker", w.ID()), zap.Strings("pools", w.cfg.Worker.Pools),
		zap.Int("slots", w.cfg.Worker.Slots), zap.Int("tools", len(w.tools.Definitions())))
}

// sets returns the tools in their pools.
func (p Program) sets(cfg config.Config) []*tool.Set {
	sets := make([]*tool.Set, 0, len(p.Sets)+1)
	for _, set := range p.Sets {
		sets = append(sets, set.In(cmp.Or(p.Home, toolbox.DefaultPool)))
	}
	if cfg.Diagnostics {
		sets = append(sets, diagnostics.Set)
	}
	return sets
}

// forget removes the checks of a worker that has ended: another one may run in the process.
func forget(kit *telemetry.Kit, id string) {
	for _, part := range []string{"worker ", "nats ", "store "} {
		kit.Health.Remove(part + id)
	}
}

// watched reports the state of the connection and of the parts. The returned function ends
// the report.
func (p *ports) watched(kit *telemetry.Kit, q *queue.Queue) (stop func()) {
	kit.Health.Add("nats "+q.Conn.ID(), q.Check)
	kit.Health.Add("store "+q.Conn.ID(), p.Machine.Check)
	return p.Machine.Measure(kit.Metrics)
}

// hook calls the start hook of the program, which may run as long as ctx.
func (p Program) hook(ctx context.Context, w *Worker) (done <-chan struct{}) {
	ended := make(chan struct{})
	if p.Started == nil {
		close(ended)
		return ended
	}
	go func() {
		defer close(ended)
		if err := p.Started(ctx, &toolbox.Providers{Tools: w.tools, Queue: w.queue}); err != nil && ctx.Err() == nil {
			w.kit.Log.Error("worker start hook failed; the worker continues without it", zap.Error(err))
		}
	}()
	return ended
}

// openPorts opens the ports of tools, except those over NATS.
func (p Program) openPorts(cfg config.Config, kit *telemetry.Kit) (ports, error) {
	files, err := workspace.NewLimited(cfg.Data, workspace.Limits{
		MaxBytes: int64(cfg.Workspace.MaxBytes), MaxFiles: int64(cfg.Workspace.MaxFiles),
		Versions: cfg.Workspace.Versions, VersionBytes: int64(cfg.Workspace.VersionBytes),
	})
	if err != nil {
		return ports{}, err
	}
	currency, err := money.Currency(cfg.Tools.Currency)
	if err != nil {
		return ports{}, fmt.Errorf("tools.currency: %w", err)
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
	local, err := toolbox.Open(p.Parts, cfg, files)
	if err != nil {
		hosts.Close()
		return ports{}, err
	}
	end := func() { local.Close(); hosts.Close() }
	return ports{
		Ports: equip.Ports{
			Files: files, HTTP: hosts, Services: center, Machine: local, Cache: cache.New(int64(cfg.Store.CacheBytes)),
			Settings: tool.Settings{Currency: currency, Search: cfg.Tools.Search, Robots: cfg.Tools.Robots},
		},
		parts:      p.Parts,
		middleware: p.Middleware,
		home:       cmp.Or(p.Home, toolbox.DefaultPool),
		close:      end,
	}, nil
}

// openServices opens the config center; it is nil if none is configured.
func openServices(cfg config.Config, kit *telemetry.Kit) (equip.Services, error) {
	if cfg.ServicesFile == "" {
		return nil, nil
	}
	center, err := service.Open(cfg.ServicesFile)
	if err != nil {
		return nil, fmt.Errorf("services_file: %w", err)
	}
	center.Report(func(err error) {
		kit.Metrics.Count(telemetry.ServicesRefused)
		kit.Log.Error("services file not reloaded; the old one stays in use", zap.Error(err))
	})
	return center, nil
}
