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
	w.tools.remote = remote.NewRunner(book, lender{w}, traceparent)
	return w.bus.ServeProgress(ctx)
}

// lender asks processes outside, and notes which of the calls that tools made they have,
// so that a cancellation finds them. It implements [remote.Asker].
type lender struct{ w *Worker }

// AskRemote implements [remote.Asker].
func (l lender) AskRemote(ctx context.Context, call bus.RemoteCall) ([]byte, error) {
	defer l.w.running.lend(call.Tenant, call.CallID)()
	return l.w.bus.AskRemote(ctx, call)
}

func traceparent(ctx context.Context) string {
	h := telemetry.Header{}
	telemetry.Inject(ctx, h)
	return h.Get("traceparent")
}
