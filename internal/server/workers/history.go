package workers

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/inspect"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/history"
)

// FollowHistory keeps what the workers do, until life ends.
func FollowHistory(life context.Context, q *queue.Queue, live *fleet.Fleet, log *zap.Logger) *history.History {
	h := history.New(time.Now())
	go func() {
		tick := time.NewTicker(history.Step)
		defer tick.Stop()
		for {
			select {
			case <-life.Done():
				return
			case <-tick.C:
			}
			states, err := q.Inspector.Pools(life)
			if err != nil {
				log.Debug("backlog not known", zap.Error(err))
			}
			h.Add(history.Sample{At: time.Now(), Pools: sampled(live.Live(), states)})
		}
	}()
	return h
}

// sampled returns the state of the pools, without those of single persons.
func sampled(live fleet.Live, states map[string]inspect.Pool) map[string]history.Pool {
	pools := map[string]history.Pool{}
	for name, workers := range live {
		if queue.BasePool(name) != name {
			continue
		}
		var p history.Pool
		for _, w := range workers {
			p.Workers = append(p.Workers, history.Worker{
				ID: w.ID, Since: w.Since, Busy: w.Busy, Slots: w.Slots, Succeeded: w.Ended.Succeeded, Failed: w.Ended.Failed, Times: w.Ended.Times,
			})
		}
		pools[name] = p
	}
	for name, state := range states {
		if queue.BasePool(name) != name {
			continue
		}
		p := pools[name]
		p.Backlog = &state.Backlog
		pools[name] = p
	}
	return pools
}
