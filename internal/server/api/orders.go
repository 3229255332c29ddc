package api

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/protocol"
)

// Orders gives operators' orders to workers.
type Orders interface {
	// Give records the order and passes it to the workers.
	Give(ctx context.Context, o fleet.Order) error
	// Paused returns the pauses of pools.
	Paused(ctx context.Context) (map[string]fleet.Order, error)
}

func (s *Service) pauseWorker(ctx context.Context, in Input) (Reply, error) {
	return s.orderWorker(ctx, in, fleet.Pause)
}

func (s *Service) resumeWorker(ctx context.Context, in Input) (Reply, error) {
	return s.orderWorker(ctx, in, fleet.Resume)
}

func (s *Service) drainWorker(ctx context.Context, in Input) (Reply, error) {
	return s.orderWorker(ctx, in, fleet.Drain)
}

func (s *Service) pausePool(ctx context.Context, in Input) (Reply, error) {
	return s.orderPool(ctx, in, fleet.Pause)
}

func (s *Service) resumePool(ctx context.Context, in Input) (Reply, error) {
	return s.orderPool(ctx, in, fleet.Resume)
}

func (s *Service) orderWorker(ctx context.Context, in Input, action string) (Reply, error) {
	if err := s.mayOrder(in); err != nil {
		return Reply{}, err
	}
	id := in.Params["worker"]
	if !validName(id, maxName) {
		return Reply{}, badName("worker", id, maxName)
	}
	w := s.worker(id)
	if w == nil {
		return Reply{}, NotFound("no worker %q is running; `helve workers` lists those that are", id)
	}
	if err := s.Orders.Give(ctx, fleet.Order{Action: action, Worker: id, By: in.By.Called()}); err != nil {
		return Reply{}, err
	}
	done := protocol.WorkersOrdered{Action: action, Workers: []string{id}}
	if action == fleet.Resume {
		paused, err := s.Orders.Paused(ctx)
		if err != nil {
			return Reply{}, err
		}
		for _, pool := range w.Pools {
			if _, ok := paused[pool]; ok {
				done.Message = "pool " + pool + " is paused too: resume the pool"
			}
		}
	}
	return answer(done)
}

// worker returns a live worker, or nil.
func (s *Service) worker(id string) *protocol.Worker {
	list := workersOf(s.Fleet.Live(), "").Workers
	if i := slices.IndexFunc(list, func(w protocol.Worker) bool { return w.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

func (s *Service) orderPool(ctx context.Context, in Input, action string) (Reply, error) {
	if err := s.mayOrder(in); err != nil {
		return Reply{}, err
	}
	pool := in.Params["pool"]
	if !validName(pool, maxName) {
		return Reply{}, badName("pool", pool, maxName)
	}
	done := protocol.WorkersOrdered{Action: action, Pool: pool, Workers: s.Fleet.Live().InPool(pool)}
	if err := s.Orders.Give(ctx, fleet.Order{Action: action, Pool: pool, By: in.By.Called()}); err != nil {
		return Reply{}, err
	}
	switch {
	case len(done.Workers) == 0:
		done.Message = "no worker of pool " + pool + " is running; it holds for workers that start later"
	case action == fleet.Resume && slices.ContainsFunc(done.Workers, func(id string) bool { return s.paused(id) }):
		done.Message = "a worker that was paused by itself stays paused until `helve workers resume ID`"
	}
	return answer(done)
}

// paused reports whether a worker took no calls at its last announcement.
func (s *Service) paused(id string) bool {
	w := s.worker(id)
	return w != nil && w.State == protocol.WorkerPaused
}

// drainPool drains the live workers of a pool. Workers that start later take calls.
func (s *Service) drainPool(ctx context.Context, in Input) (Reply, error) {
	if err := s.mayOrder(in); err != nil {
		return Reply{}, err
	}
	pool := in.Params["pool"]
	if !validName(pool, maxName) {
		return Reply{}, badName("pool", pool, maxName)
	}
	done := protocol.WorkersOrdered{Action: fleet.Drain, Pool: pool, Workers: s.Fleet.Live().InPool(pool)}
	if len(done.Workers) == 0 {
		return Reply{}, NotFound("no worker of pool %q is running; `helve workers` lists those that are", pool)
	}
	for _, id := range done.Workers {
		if err := s.Orders.Give(ctx, fleet.Order{Action: fleet.Drain, Worker: id, By: in.By.Called()}); err != nil {
			return Reply{}, err
		}
	}
	return answer(done)
}

// mayOrder refuses admins of other tenants than the default: workers run the calls of all
// tenants.
func (s *Service) mayOrder(in Input) error {
	switch {
	case s.Orders == nil || s.Fleet == nil:
		return Unavailable("this dispatcher does not follow the workers")
	case in.Tenant != DefaultTenant:
		return Forbidden("workers run the calls of every tenant; ask as an admin of the tenant %s", DefaultTenant)
	}
	return nil
}
