package api

import (
	"context"
	"maps"
	"slices"

	"github.com/helve-dev/helve/protocol"
)

// Queues returns what waits in the queues.
type Queues interface {
	// Pools returns the pools that have a queue, with what is in it.
	Pools(ctx context.Context) ([]protocol.Pool, error)
}

func (s *Service) listPools(ctx context.Context, _ Input) (Reply, error) {
	if s.Queues == nil || s.Fleet == nil || s.Orders == nil {
		return Reply{}, Unavailable("this dispatcher does not follow the workers")
	}
	states, err := s.Queues.Pools(ctx)
	if err != nil {
		return Reply{}, err
	}
	paused, err := s.Orders.Paused(ctx)
	if err != nil {
		return Reply{}, err
	}
	pools := map[string]*protocol.Pool{}
	of := func(name string) *protocol.Pool {
		if pools[name] == nil {
			pools[name] = &protocol.Pool{Name: name}
		}
		return pools[name]
	}
	for _, state := range states {
		pools[state.Name] = &state
	}
	for name, workers := range s.Fleet.Live() {
		p := of(name)
		for _, w := range workers {
			p.Workers++
			p.Slots += w.Slots
			p.Busy += w.Busy
			p.Rate += w.Rate
			if w.Paused {
				p.PausedWorkers++
			}
		}
	}
	for name, order := range paused {
		p := of(name)
		p.Paused, p.PausedBy, p.PausedSince = true, order.By, &order.At
	}
	list := protocol.PoolList{Pools: []protocol.Pool{}}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		list.Pools = append(list.Pools, *pools[name])
	}
	return answer(list)
}
