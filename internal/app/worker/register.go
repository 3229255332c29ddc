package worker

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
)

// registerRetry is the pause between attempts to register the tools again.
const registerRetry = time.Second

// registerAgain registers the tools again whenever the bucket of definitions was deleted and
// made again, until ctx ends.
func (w *Worker) registerAgain(ctx context.Context) {
	bucket := natsio.BucketStream(streams.BucketCatalog)
	for remade := natsio.Remade(w.queue.Conn, bucket); ; {
		select {
		case <-ctx.Done():
			return
		case <-remade:
		}
		remade = natsio.Remade(w.queue.Conn, bucket)
		for ctx.Err() == nil {
			err := catalogsync.Register(ctx, w.queue, w.tools.Definitions())
			if err == nil {
				w.kit.Log.Info("tools registered again", zap.String("worker", w.ID()))
				break
			}
			w.kit.Log.Warn("tools not registered again; trying again", zap.Error(err))
			natsio.Pause(ctx, registerRetry)
		}
	}
}
