package catalogsync

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/tool"
)

// registerRetry is the pause between attempts to register the tools again.
const registerRetry = time.Second

// KeepRegistered registers the tools of a worker again whenever the bucket of definitions was deleted
// and made again, until ctx ends.
func KeepRegistered(ctx context.Context, q *queue.Queue, tools func() []tool.Definition, log *zap.Logger) {
	bucket := natsio.BucketStream(streams.BucketCatalog)
	for remade := natsio.Remade(q.Conn, bucket); ; {
		select {
		case <-ctx.Done():
			return
		case <-remade:
		}
		remade = natsio.Remade(q.Conn, bucket)
		for ctx.Err() == nil {
			err := Register(ctx, q, tools())
			if err == nil {
				log.Info("tools registered again", zap.String("worker", q.Conn.ID()))
				break
			}
			log.Warn("tools not registered again; trying again", zap.Error(err))
			natsio.Pause(ctx, registerRetry)
		}
	}
}
