package dispatcher

import (
	"context"
	"fmt"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
)

// groups finds results that are stored together with others, by the audit index. It
// implements [dispatcher.Groups].
type groups struct {
	*auditor
	read atomic.Bool
}

// openGroups follows the lease of the writer of final records until ctx ends: a dispatcher of
// an earlier version would not find those of a group.
func openGroups(ctx context.Context, q *queue.Queue, a *auditor, log *zap.Logger) (*groups, error) {
	g := &groups{auditor: a}
	err := natsio.FollowLease(ctx, q.Conn, sealerLease, func(note string) {
		read := note == queue.LeaseGroups
		if g.read.Swap(read) != read {
			log.Debug("results of new calls stored in groups", zap.Bool("groups", read))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("lease of the sealer: %w", err)
	}
	return g, nil
}

// Read implements [dispatcher.Groups].
func (g *groups) Read() bool { return g.read.Load() }

// Find implements [dispatcher.Groups].
func (g *groups) Find(ctx context.Context, tenant, callID string, upTo uint64, await bool) ([]uint64, error) {
	places, known, err := g.look(ctx, tenant, callID)
	if known || err != nil || !await {
		return places, err
	}
	if err := stream.On(g.queue.Conn).AwaitWrittenTo(ctx, upTo); err != nil {
		return nil, err
	}
	_, last, _, err := stream.On(g.queue.Conn).Range(ctx)
	if err != nil {
		return nil, err
	}
	if err := g.index.Wait(ctx, last); err != nil {
		return nil, err
	}
	places, _, err = g.look(ctx, tenant, callID)
	return places, err
}

// look returns the places of the groups that the index has of a call, and whether it has
// the final record of any result.
func (g *groups) look(ctx context.Context, tenant, callID string) (places []uint64, known bool, err error) {
	finals, err := g.index.Finals(ctx, tenant, callID)
	for i := range finals {
		if seq := finals[i].ResultSeq; seq != 0 {
			places = append(places, seq)
		}
	}
	return places, len(finals) > 0, err
}
