package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/ports/outward"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

// Worker executes calls of its pools.
type Worker struct {
	cfg       config.Config
	kit       *telemetry.Kit
	queue     *queue.Queue
	engine    *engine.Engine
	calls     *execution.Executor
	tools     *toolbox.Toolbox
	catalogue *catalog.Tenants // of all workers, for tools that search
	agents    *catalog.Agents
	trail     trail.Writer
	rules     *policy.Policy
	// rulesSince is when the rules in force were loaded, in Unix seconds.
	rulesSince atomic.Int64
	// rulesRefused is set while changed rules are refused.
	rulesRefused atomic.Bool
	outward      *outward.Outward
	keys         *token.Keyring
	parker       *consent.Parker
	attached     []toolbox.Attached // by parts
	loads        loads
	placement    *placement
	consumers    []*queue.Consumer
	orders       *orders
	pools        map[string]*telemetry.Pool
	ended        map[string]*ended // by pool
	toolRuns     gopool.Pool       // runs the tools
}

// assemble builds a worker that takes no calls yet, over NATS that is prepared.
func assemble(
	ctx context.Context, cfg config.Config, kit *telemetry.Kit, records trail.Writer, p ports, sets []*tool.Set,
) (*Worker, error) {
	q := records.Queue
	w := &Worker{
		cfg: cfg, kit: kit, queue: q, agents: &catalog.Agents{}, trail: records,
		pools: map[string]*telemetry.Pool{}, ended: map[string]*ended{}, catalogue: catalog.NewTenants(catalog.New()),
		outward: p.outward,
	}
	queues := toolbox.Queues(cfg)
	for _, pool := range queues {
		w.pools[pool], w.ended[pool] = kit.Metrics.Pool(pool), &ended{}
	}
	var err error
	if w.catalogue.Switches, err = catalog.ParseSwitches(cfg.Groups); err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	w.tools, err = toolbox.New(toolbox.Options{
		Sets: sets, Pools: cfg.Worker.Pools, Permissions: cfg.Policy.Permissions, Opened: toolbox.PortsOf(p.parts), Pool: p.home,
		All: w.catalogue, Offered: func(def *tool.Definition) bool { return w.placement.elsewhere(def) },
	})
	if err != nil {
		return nil, err
	}
	if err := w.attach(ctx, p.parts); err != nil {
		return nil, err
	}
	rates, err := w.openRates(ctx)
	if err != nil {
		return nil, err
	}
	gate, err := w.openGate(ctx)
	if err != nil {
		return nil, err
	}
	w.orders = newOrders(w)
	if w.placement, err = newPlacement(w.ID(), p.files, queues, cfg.Worker.Slots, kit.Log); err != nil {
		return nil, err
	}
	w.calls = execution.New(execution.Deps{
		Worker: w.ID(), Pools: w.pools, Slots: cfg.Worker.Slots, MaxAttempts: cfg.Worker.MaxAttempts, InlineLimit: queue.InlineLimit,
		Results: results{q}, Groups: groupsOf(q), Records: auditWriter{w.trail}, Fences: fences{q}, Owners: owners{q, w.placement},
		Events: eventPublisher{q}, Storage: storage{q},
		Router: router{w.ID(), w.placement, w.catalogue}, Metrics: kit.Metrics, Tracing: kit.Tracing, Log: kit.Log,
		Arguments: keptArguments,
	})
	w.placement.ownStore = cfg.Store.URL == ""
	deps := engine.Deps{
		Catalog: w.tools, Access: w.access(), Policy: gate, Connect: gate.Connect, Ledger: w.calls.Ledger(),
		Ports: portProvider{w, p, kit.Tracing.Enabled()}, Record: callLogger{kit, w.pools, w.ended}, CustomTools: w.tools.CustomTools(),
		Stuck: kit.Metrics.Stuck, Go: w.toolRuns.Go,
		Rates: rates, Middleware: p.middleware, Trace: tracePart(kit.Tracing), Place: w.mayRun,
		Near: func(j *engine.Job, name string) []string {
			return toolbox.AgentCatalog{All: w.catalogue, Agents: w.agents, Job: j}.Near(name, 5)
		},
	}
	p.machine.commits(&deps)
	w.engine = engine.New(deps)
	w.calls.Use(w.engine)
	return w, nil
}

// start registers the tools and takes calls. The worker follows the changes of others until
// life ends.
func (w *Worker) start(life context.Context) error {
	if err := catalogsync.FollowAgents(life, w.queue, w.agents, w.kit.Log); err != nil {
		return fmt.Errorf("agents: %w", err)
	}
	if err := catalogsync.FollowTools(life, w.queue, w.catalogue.Shared, w.kit.Log); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if err := catalogsync.FollowCustom(life, w.queue, w.catalogue, w.kit.Log); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if err := w.followRemote(life); err != nil {
		return err
	}
	if err := keysync.Follow(life, w.queue, keysync.Token, w.keys, w.kit.Log); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if err := w.placement.follow(life, w.queue); err != nil {
		return err
	}
	go w.rules.Watch(life)
	if custom := w.tools.Custom(); custom != nil {
		if err := custom.Follow(life); err != nil {
			return fmt.Errorf("custom tools: %w", err)
		}
	}
	if err := catalogsync.Register(life, w.queue, w.tools.Definitions()); err != nil {
		return fmt.Errorf("register tools: %w", err)
	}
	go w.registerAgain(life)
	if err := w.follow(life); err != nil {
		return err
	}
	if err := errors.Join(w.queue.Owners.ServeProbe(w.find), w.queue.Owners.ServeCancel(w.cancel), w.queue.Owners.ServeRunning(w.running),
		w.queue.Owners.ServeOpenCircuits(w.openCircuits), w.queue.Events.ServeReplay()); err != nil {
		return err
	}
	if w.cfg.Worker.Affinity == config.AffinityUser {
		if err := w.placement.claim(life, w.queue); err != nil {
			return err
		}
	}
	if err := w.orders.follow(life); err != nil {
		return fmt.Errorf("orders of operators: %w", err)
	}
	if err := w.placement.announce(life, w.queue, w.tools, w.orders.load); err != nil {
		return err
	}
	return w.consume(life)
}

// consume takes calls of the pools, except where an operator has paused them.
func (w *Worker) consume(life context.Context) error {
	consumers := map[string]*queue.Consumer{}
	for _, pool := range slices.Sorted(maps.Keys(w.pools)) {
		if err := w.queue.Calls.EnsurePool(life, pool); err != nil {
			return err
		}
		c := w.queue.Calls.ConsumePaused(pool, w.cfg.Worker.Slots, w.take, w.kit.Metrics.DeadLetter)
		w.pools[pool].AddSlots(w.cfg.Worker.Slots)
		w.consumers = append(w.consumers, c)
		consumers[pool] = c
	}
	if err := w.orders.take(consumers, w.placement.announcer); err != nil {
		return err
	}
	if err := w.placement.serve(life, func(ctx context.Context, pool, home string) error {
		return consumers[pool].SetHome(ctx, home)
	}); err != nil {
		return err
	}
	go w.placement.keep(life, w.tools, func(ctx context.Context, pool, lane string) error { return consumers[pool].SetKind(ctx, lane) })
	return nil
}

// ID returns the worker's name in results and logs.
func (w *Worker) ID() string { return w.queue.Conn.ID() }

// stopGrace is the time before the drain's end at which running calls are cancelled, so
// that their results are still stored.
const stopGrace = 2 * time.Second

// drain takes no new calls, waits for those that run, cancels them shortly before ctx ends,
// and waits until their results are stored.
func (w *Worker) drain(ctx context.Context) error {
	w.calls.Drain()
	if end, ok := ctx.Deadline(); ok {
		stop := time.AfterFunc(time.Until(end)-stopGrace, w.calls.Stop)
		defer stop.Stop()
	}
	errs := make([]error, len(w.consumers))
	var all sync.WaitGroup
	all.Go(func() { w.placement.leave(ctx) })
	for i, c := range w.consumers {
		all.Go(func() { errs[i] = c.Drain(ctx) })
	}
	all.Wait()
	w.placement.giveUp(ctx)
	w.calls.Close()
	w.toolRuns.Close()
	w.detach()
	for _, c := range w.consumers {
		c.Close()
	}
	for _, pool := range w.pools {
		pool.AddSlots(-w.cfg.Worker.Slots)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("not every call was finished in time; they are given to other workers: %w", err)
	}
	return nil
}
