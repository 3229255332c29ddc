package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// settings are what a worker needs; Main and `helve up` fill them in from the
// configuration.
type settings struct {
	Bus         *bus.Bus
	Sets        []*tool.Set
	Pools       []string
	Slots       int
	MaxAttempts int
	AckWait     time.Duration
	Ports       engine.Ports
	Metrics     Metrics
	Log         *zap.Logger
}

// Worker executes calls of its pools.
type Worker struct {
	settings
	engine    *engine.Engine
	tools     *tools
	agents    *catalog.Agents
	running   running
	refused   recent // calls cancelled before they came here
	consumers []*bus.Consumer
	pending   sync.WaitGroup // results on their way to the stream
	closed    chan struct{}
}

// start brings a worker to where it takes calls; it works until Drain. Ctx is
// the worker's life.
func start(ctx context.Context, s settings) (*Worker, error) {
	w := &Worker{settings: s, agents: &catalog.Agents{}, closed: make(chan struct{})}
	w.running.calls = map[string]*attempt{}
	var err error
	if w.tools, err = compile(s.Sets, s.Pools); err != nil {
		return nil, err
	}
	w.engine = engine.New(engine.Deps{
		Catalog: w.tools, Access: access{w.tools.catalog, w.agents}, Policy: engine.AllowAll(), Ledger: ledger{w},
		Ports: s.Ports, Record: recorder{w}, Stuck: s.Metrics.Stuck,
	})
	if err := directory.FollowAgents(ctx, s.Bus, w.agents, s.Log); err != nil {
		return nil, fmt.Errorf("agents: %w", err)
	}
	if err := directory.Register(ctx, s.Bus, w.tools.definitions()); err != nil {
		return nil, fmt.Errorf("register tools: %w", err)
	}
	if err := s.Bus.ServeProbe(w.running.held(s.Bus.ID())); err != nil {
		return nil, err
	}
	if err := s.Bus.ServeCancel(w.cancel); err != nil {
		return nil, err
	}
	if err := s.Bus.ServeReplay(); err != nil {
		return nil, err
	}
	for _, pool := range slices.Compact(slices.Sorted(slices.Values(s.Pools))) {
		if err := s.Bus.EnsurePool(ctx, pool); err != nil {
			return nil, err
		}
		c, err := s.Bus.Consume(pool, s.Slots, w.take, s.Metrics.DeadLetter)
		if err != nil {
			return nil, err
		}
		w.consumers = append(w.consumers, c)
	}
	return w, nil
}

// ID is the worker's name in results and logs.
func (w *Worker) ID() string { return w.Bus.ID() }

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
	for _, c := range w.consumers {
		c.Close()
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("not every call was finished in time; they are given to other workers: %w", err)
	}
	return nil
}
