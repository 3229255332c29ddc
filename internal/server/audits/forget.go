package audits

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/index"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue"
)

// forgetEvery is the interval at which expired records are removed from the index.
const forgetEvery = 10 * time.Minute

// forget removes records from the index that the trail no longer has, until ctx ends.
// If several dispatchers share one index, the removed records are gone for the others
// too.
func forget(ctx context.Context, q *queue.Queue, x *index.Index, log *zap.Logger) {
	tick := time.NewTicker(forgetEvery)
	defer tick.Stop()
	for {
		first, _, _, err := stream.On(q.Conn).Range(ctx)
		if err == nil {
			err = x.Prune(ctx, first)
		}
		if err != nil && ctx.Err() == nil {
			log.Warn("old records not removed from the audit index; trying again later", zap.Error(err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
