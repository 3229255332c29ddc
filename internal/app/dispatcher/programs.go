package dispatcher

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/dispatch/program"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// programLease is the name of the lease of the dispatcher that wakes programs.
const programLease = "programs"

// openDispatcher starts a dispatcher and the programs whose steps it makes. The returned function
// waits, once life has ended, until no program is woken any more.
func openDispatcher(
	life context.Context, cfg config.Config, kit *telemetry.Kit, o dispatch.Options, t trail.Writer,
) (*dispatch.Dispatcher, *program.Service, func(), error) {
	runs, err := openPrograms(life, cfg, kit, o, t)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("programs: %w", err)
	}
	o.Programs = runs
	d, err := dispatch.New(life, o)
	if err != nil {
		return nil, nil, nil, err
	}
	wait, err := startPrograms(life, kit, runs, d)
	return d, runs, wait, err
}

func openPrograms(
	life context.Context, cfg config.Config, kit *telemetry.Kit, o dispatch.Options, t trail.Writer,
) (*program.Service, error) {
	store, err := programs.Open(life, o.Queue)
	if err != nil {
		return nil, err
	}
	return program.Open(life, program.Options{
		Queue: o.Queue, Store: store, Lookup: func(tenant, user, conversation, name string) (*tool.Definition, bool) {
			return o.Catalog.Of(tenant, user).In(conversation).Lookup(name)
		}, Trail: t, Log: kit.Log, Metrics: kit.Metrics, Hot: cfg.Durable.Hot,
		MaxPerson: cfg.Durable.MaxWaiting, MaxTenant: cfg.Durable.MaxWaitingTenant,
	})
}

// startPrograms serves the turns of programs, and wakes programs while this process has the
// lease, until life ends. The returned function waits until it has stopped.
func startPrograms(life context.Context, kit *telemetry.Kit, s *program.Service, d *dispatch.Dispatcher) (wait func(), err error) {
	if err := s.Serve(life, d); err != nil {
		return nil, err
	}
	context.AfterFunc(life, kit.Metrics.Read(s.Measure))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Queue.Conn.Lease(life, programLease, program.LeaseTTL, s.Wake); err != nil && life.Err() == nil {
			kit.Log.Error("waking of programs stopped", zap.Error(err))
		}
	}()
	return func() { <-done }, nil
}
