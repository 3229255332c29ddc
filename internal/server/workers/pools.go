package workers

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/protocol"
)

// Queues implements [api.Queues].
type Queues struct{ Queue *queue.Queue }

// Pools implements [api.Queues].
func (q Queues) Pools(ctx context.Context) ([]protocol.Pool, error) {
	states, err := q.Queue.Inspector.Pools(ctx)
	if err != nil {
		return nil, err
	}
	var list []protocol.Pool
	for name, state := range states {
		p := protocol.Pool{Name: name, Backlog: state.Backlog, Held: state.Held}
		if !state.Oldest.IsZero() {
			p.OldestSeconds = max(0, time.Since(state.Oldest).Seconds())
		}
		list = append(list, p)
	}
	return list, nil
}
