package worker

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/remote"
	"github.com/helve-dev/helve/internal/telemetry"
)

// followRemote learns of tools that processes outside run, until ctx ends.
func (w *Worker) followRemote(ctx context.Context) error {
	bucket, err := w.bus.Bucket(ctx, bus.BucketRemote)
	if err != nil {
		return err
	}
	book, err := remote.Open(ctx, bucket, w.catalogue, w.kit.Log)
	if err != nil {
		return fmt.Errorf("remote tools: %w", err)
	}
	w.tools.remote = remote.NewRunner(book, w.bus, traceparent)
	return w.bus.ServeProgress(ctx)
}

func traceparent(ctx context.Context) string {
	h := telemetry.Header{}
	telemetry.Inject(ctx, h)
	return h.Get("traceparent")
}
