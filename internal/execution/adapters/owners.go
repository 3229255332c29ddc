package adapters

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/protocol"
)

// Owners implements [execution.Owners].
type Owners struct {
	Queue *queue.Queue
	// Fleet returns the live workers.
	Fleet func() *fleet.Fleet
}

// Elsewhere implements [execution.Owners].
func (s Owners) Elsewhere(ctx context.Context, tenant, callID string) execution.Ownership {
	switch h := s.Queue.Owners.FindOther(ctx, tenant, callID); {
	case h == nil:
		return execution.NotElsewhere
	case h.State == protocol.StateDone:
		return execution.FinishedElsewhere
	}
	return execution.RunningElsewhere
}

// Lost implements [execution.Owners]. A worker announces the calls that it runs every two
// seconds; of a call that was lost before, all workers of its pool that are gone since it was
// accepted may have had it.
func (s Owners) Lost(ctx context.Context, c *execution.Call) (workers []string, certain bool) {
	live := s.Fleet().Live()
	every := map[string]bool{}
	for _, pool := range live {
		for _, w := range pool {
			every[w.ID] = true
		}
	}
	answers := s.Queue.Owners.Clocks(ctx, len(every))
	answered := func(id string) bool {
		_, ok := answers[id]
		return ok || id == s.Queue.Conn.ID()
	}
	if ran := slices.DeleteFunc(s.Fleet().Ran(c.Tenant, c.ID), answered); len(ran) > 0 {
		return ran, true
	}
	suspects := slices.DeleteFunc(live.InPool(c.Pool), answered)
	for _, l := range s.Fleet().Lost() {
		if slices.Contains(l.Pools, c.Pool) && l.At.After(c.Accepted()) {
			suspects = append(suspects, l.ID)
		}
	}
	slices.Sort(suspects)
	return slices.Compact(suspects), false
}
