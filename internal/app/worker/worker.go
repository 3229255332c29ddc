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
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/engine/calllog"
	"github.com/helve-dev/helve/internal/engine/gate"
	"github.com/helve-dev/helve/internal/engine/nested"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/internal/execution/adapters"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/internal/fleet/member"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/ports/outward"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/equip"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/internal/x/version"
	"github.com/helve-dev/helve/protocol"
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
	attached     []toolbox.Attached // by parts
	loads        loads
	nested       nested.Options
	member       *member.Member
	consumers    []*queue.Consumer
	orders       *member.Orders
	leave        func() // makes the worker drain
	pools        map[string]*telemetry.Pool
	ended        map[string]*calllog.Ended // by pool
	toolRuns     gopool.Pool               // runs the tools
}

// assemble builds a worker that takes no calls yet, over NATS that is prepared.
func assemble(
	ctx context.Context, cfg config.Config, kit *telemetry.Kit, records trail.Writer, p ports, sets []*tool.Set,
) (*Worker, error) {
	q := records.Queue
	w := &Worker{
		cfg: cfg, kit: kit, queue: q, agents: &catalog.Agents{}, trail: records,
		pools: map[string]*telemetry.Pool{}, ended: map[string]*calllog.Ended{}, catalogue: catalog.NewTenants(catalog.New()),
		outward: p.Outward, leave: func() {},
	}
	queues := toolbox.Queues(cfg)
	for _, pool := range queues {
		w.pools[pool], w.ended[pool] = kit.Metrics.Pool(pool), &calllog.Ended{}
	}
	var err error
	if w.catalogue.Switches, err = catalog.ParseSwitches(cfg.Groups); err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	w.tools, err = toolbox.New(toolbox.Options{
		Sets: sets, Pools: cfg.Worker.Pools, Permissions: cfg.Policy.Permissions, Opened: toolbox.PortsOf(p.parts), Pool: p.home,
		All: w.catalogue, Offered: func(def *tool.Definition) bool { return w.member.Elsewhere(def) },
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
	if err := w.join(p.Files, queues); err != nil {
		return nil, err
	}
	w.openExecutor()
	w.openEngine(p, gate, rates)
	return w, nil
}

// openExecutor opens the life of deliveries, over NATS.
func (w *Worker) openExecutor() {
	cfg, kit, q := w.cfg, w.kit, w.queue
	w.calls = execution.New(execution.Deps{
		Worker: w.ID(), Pools: w.pools, Slots: cfg.Worker.Slots, MaxAttempts: cfg.Worker.MaxAttempts, InlineLimit: queue.InlineLimit,
		Results: adapters.Results{Queue: q}, Groups: adapters.Groups(q), Records: adapters.AuditWriter{Trail: w.trail},
		Fences: adapters.Fences{Queue: q}, Owners: adapters.Owners{Queue: q, Fleet: w.member.Fleet},
		Events: adapters.Events{Queue: q}, Storage: adapters.Storage{Queue: q},
		Router:  adapters.Router{Worker: w.ID(), Fleet: w.member.Fleet, Binder: w.member.Binder, Catalogue: w.catalogue},
		Metrics: kit.Metrics, Tracing: kit.Tracing, Log: kit.Log, Arguments: adapters.KeptArguments,
	})
}

// openEngine opens the pipeline, for deliveries and for nested calls.
func (w *Worker) openEngine(p ports, gate *gate.Gate, rates engine.Rates) {
	cfg, kit, q := w.cfg, w.kit, w.queue
	access := toolbox.Access{
		Agents: w.agents, Switches: w.catalogue.Switches, Log: kit.Log,
		Stored: func(ctx context.Context, tenant, agent string) (*protocol.AgentRules, error) {
			return catalogsync.ReadAgent(ctx, q, tenant, agent)
		},
	}
	deps := engine.Deps{
		Catalog: w.tools, Access: access, Policy: gate, Connect: gate.Connect, Ledger: w.calls.Ledger(),
		Record: calllog.Logger{Kit: kit, Pools: w.pools, Ended: w.ended},
		Ports:  w.provider(p), CustomTools: w.tools.CustomTools(),
		Stuck: kit.Metrics.Stuck, Go: w.toolRuns.Go,
		Rates: rates, Middleware: p.middleware, Trace: calllog.Trace(kit.Tracing), Place: w.member.Check,
		Kept: w.tools.Kept,
		Near: func(j *engine.Job, name string) []string {
			return toolbox.AgentCatalog{All: w.catalogue, Agents: w.agents, Job: j}.Near(name, 5)
		},
	}
	p.Machine.Commits(&deps)
	w.engine = engine.New(deps)
	w.calls.Use(w.engine)
	w.nested = nested.Options{
		Worker: w.ID(), Pass: w.engine.Execute, Executor: w.calls, Records: adapters.AuditWriter{Trail: w.trail}, Tracing: kit.Tracing,
		Tools: w.tools, Allows: access.Allows, Most: int64(cfg.Worker.MaxInnerCalls),
	}
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
	if err := w.member.Follow(life, w.queue); err != nil {
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
	go catalogsync.KeepRegistered(life, w.queue, w.tools.Definitions, w.kit.Log)
	if err := w.follow(life); err != nil {
		return err
	}
	own := adapters.Served{Worker: w.ID(), Calls: w.calls}
	if err := errors.Join(own.Serve(w.queue.Owners),
		w.queue.Owners.ServeOpenCircuits(w.openCircuits), w.queue.Events.ServeReplay()); err != nil {
		return err
	}
	if w.cfg.Worker.Affinity == config.AffinityUser {
		if err := w.member.Claim(life, w.queue); err != nil {
			return err
		}
	}
	if err := w.orders.Follow(life, w.queue); err != nil {
		return fmt.Errorf("orders of operators: %w", err)
	}
	if err := w.member.Announce(life, w.queue, w.tools, w.load); err != nil {
		return err
	}
	return w.consume(life)
}

// join makes the worker a member of the fleet, which is announced later.
func (w *Worker) join(files equip.Workspaces, pools []string) error {
	workspace, err := files.Identity()
	if err != nil {
		return err
	}
	w.member = member.New(member.Options{
		Self:  fleet.Worker{ID: w.ID(), Workspace: workspace, Version: version.String(), Slots: w.cfg.Worker.Slots},
		Pools: pools, OwnStore: w.cfg.Store.URL == "", Log: w.kit.Log,
	})
	w.orders = member.NewOrders(member.OrdersOptions{
		Worker: w.ID(), Pools: pools, Ring: w.keys, Drain: func() { w.leave() }, Log: w.kit.Log,
	})
	return nil
}

// announcedCalls bounds the running calls that an announcement names.
const announcedCalls = 256

// load returns the present work in a pool.
func (w *Worker) load(pool string) queue.Load {
	load := w.orders.Load(pool)
	load.Ended = w.ended[pool].Counts()
	for _, c := range w.calls.OfPool(pool, announcedCalls) {
		load.Calls = append(load.Calls, fleet.CallMark(c.Tenant, c.ID))
	}
	load.OpenCircuits, load.RulesRefused = len(w.outward.Failing()), w.rulesRefused.Load()
	return load
}

// take runs a delivered call.
func (w *Worker) take(d *queue.Delivery) { adapters.Take(w.calls, d) }

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
	if err := w.orders.Take(consumers, w.member.Announcer()); err != nil {
		return err
	}
	if err := w.member.Serve(life, func(ctx context.Context, pool, home string) error {
		return consumers[pool].SetHome(ctx, home)
	}); err != nil {
		return err
	}
	go w.member.Keep(life, w.tools, func(ctx context.Context, pool, lane string) error { return consumers[pool].SetKind(ctx, lane) })
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
	all.Go(func() { w.member.Leave(ctx) })
	for i, c := range w.consumers {
		all.Go(func() { errs[i] = c.Drain(ctx) })
	}
	all.Wait()
	w.member.GiveUp(ctx)
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
