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
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/crew"
	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/token"
	"github.com/helve-dev/helve/internal/trail"
	"github.com/helve-dev/helve/tool"
)

// Worker executes calls of its pools.
type Worker struct {
	cfg       config.Config
	kit       *telemetry.Kit
	bus       *bus.Bus
	engine    *engine.Engine
	tools     *toolbox
	catalogue *catalog.Tenants // of all workers, for those who look for tools
	agents    *catalog.Agents
	records   records
	rules     *policy.Policy
	keys      *token.Keyring
	parker    *consent.Parker
	scripts   *scripts // nil without tools directories
	upstream  *servers // nil without MCP servers
	loads     loads
	cage      *cage
	running   running
	refused   recent // calls cancelled before they came here
	unsettled atomic.Int64
	consumers []*bus.Consumer
	pools     map[string]*telemetry.Pool
	crew      crew.Crew // runs the tools
	closed    chan struct{}
}

// assemble builds a worker that takes no calls yet, over a bus that is prepared.
func assemble(ctx context.Context, cfg config.Config, kit *telemetry.Kit, b *bus.Bus, p ports, sets []*tool.Set) (*Worker, error) {
	w := &Worker{
		cfg: cfg, kit: kit, bus: b, agents: &catalog.Agents{}, records: records{trail.Trail{Bus: b, Metrics: kit.Metrics, Log: kit.Log}},
		pools: map[string]*telemetry.Pool{}, closed: make(chan struct{}), catalogue: catalog.NewTenants(catalog.New()),
	}
	w.running.calls = map[string]*attempt{}
	for _, pool := range cfg.Worker.Pools {
		w.pools[pool] = kit.Metrics.Pool(pool)
	}
	var err error
	if w.catalogue.Switches, err = catalog.ParseSwitches(cfg.Groups); err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	if w.tools, err = compile(sets, cfg.Worker.Pools, cfg.Policy.Permissions); err != nil {
		return nil, err
	}
	w.tools.all = w.catalogue
	if err := w.openScripts(); err != nil {
		return nil, err
	}
	if err := w.openUpstream(); err != nil {
		return nil, err
	}
	if err := w.openCustom(ctx); err != nil {
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
	w.engine = engine.New(engine.Deps{
		Catalog: w.tools, Access: w.access(), Policy: gate, Ledger: ledger{w},
		Ports: equipment{w, p}, Record: recorder{w}, CustomTools: w.tools.custom, Stuck: kit.Metrics.Stuck, Go: w.crew.Go,
		Rates: rates, Middleware: p.middleware,
		Near: func(j *engine.Job, name string) []string { return shop{w, j}.Near(name, 5) },
	})
	return w, nil
}

// start brings the worker to where it takes calls. Life is how long it follows
// what others change.
func (w *Worker) start(life context.Context) error {
	if err := directory.FollowAgents(life, w.bus, w.agents, w.kit.Log); err != nil {
		return fmt.Errorf("agents: %w", err)
	}
	if err := directory.FollowTools(life, w.bus, w.catalogue.Shared, w.kit.Log); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if err := directory.FollowCustom(life, w.bus, w.catalogue, w.kit.Log); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if err := w.followRemote(life); err != nil {
		return err
	}
	if err := directory.FollowKeys(life, w.bus, directory.KeyToken, w.keys, w.kit.Log); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	go w.rules.Watch(life)
	if err := w.tools.custom.Follow(life); err != nil {
		return fmt.Errorf("custom tools: %w", err)
	}
	if err := directory.Register(life, w.bus, w.tools.definitions()); err != nil {
		return fmt.Errorf("register tools: %w", err)
	}
	if err := w.openLoads(life); err != nil {
		return err
	}
	if w.scripts != nil {
		if err := w.scripts.follow(life); err != nil {
			return err
		}
	}
	if w.upstream != nil {
		if err := w.upstream.follow(life); err != nil {
			return err
		}
	}
	if err := w.bus.ServeProbe(w.running.held(w.ID())); err != nil {
		return err
	}
	if err := w.bus.ServeCancel(w.cancel); err != nil {
		return err
	}
	if err := w.bus.ServeReplay(); err != nil {
		return err
	}
	for _, pool := range slices.Sorted(maps.Keys(w.pools)) {
		if err := w.bus.EnsurePool(life, pool); err != nil {
			return err
		}
		c, err := w.bus.Consume(pool, w.cfg.Worker.Slots, w.take, w.kit.Metrics.DeadLetter)
		if err != nil {
			return err
		}
		w.pools[pool].AddSlots(w.cfg.Worker.Slots)
		w.consumers = append(w.consumers, c)
	}
	return nil
}

// ID is the worker's name in results and logs.
func (w *Worker) ID() string { return w.bus.ID() }

// stopGrace is how long, before the drain's end, calls are told to stop so
// that their results still leave.
const stopGrace = 2 * time.Second

// drain takes no more calls, waits for those that run, tells them to stop
// shortly before ctx ends, and waits until their results are stored.
func (w *Worker) drain(ctx context.Context) error {
	if end, ok := ctx.Deadline(); ok {
		stop := time.AfterFunc(time.Until(end)-stopGrace, func() { w.running.stop(engine.ErrShutdown) })
		defer stop.Stop()
	}
	errs := make([]error, len(w.consumers))
	var all sync.WaitGroup
	for i, c := range w.consumers {
		all.Go(func() { errs[i] = c.Drain(ctx) })
	}
	all.Wait()
	close(w.closed)
	w.crew.Close()
	w.cage.Close()
	w.upstream.close()
	for _, c := range w.consumers {
		c.Close()
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("not every call was finished in time; they are given to other workers: %w", err)
	}
	return nil
}
