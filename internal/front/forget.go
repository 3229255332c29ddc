package front

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/index"
	"github.com/helve-dev/helve/internal/bus"
)

// forgetEvery is how often the index forgets what the stream no longer keeps.
const forgetEvery = 10 * time.Minute

// forget keeps the index from remembering longer than the trail does, until ctx
// ends. Where several dispatchers share one index, what one removed the others do
// not find.
func forget(ctx context.Context, b *bus.Bus, x *index.Index, log *zap.Logger) {
	tick := time.NewTicker(forgetEvery)
	defer tick.Stop()
	for {
		first, _, _, err := b.AuditRange(ctx)
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
