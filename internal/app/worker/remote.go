package worker

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox/remote"
)

// followRemote follows the tools that remote processes run until ctx ends.
func (w *Worker) followRemote(ctx context.Context) error {
	bucket, err := w.queue.Conn.Bucket(ctx, streams.BucketRemote)
	if err != nil {
		return err
	}
	registry, err := remote.Open(ctx, bucket, w.catalogue, w.kit.Log)
	if err != nil {
		return fmt.Errorf("remote tools: %w", err)
	}
	w.tools.AttachRemote(remote.NewRunner(registry, remoteInvoker{w}, traceparent))
	return w.queue.Remote.ServeProgress(ctx)
}

// remoteInvoker sends calls to remote processes, and records which nested calls they run,
// so that a cancellation reaches them. It implements [remote.Asker].
type remoteInvoker struct{ w *Worker }

// AskRemote implements [remote.Asker].
func (l remoteInvoker) AskRemote(ctx context.Context, call peer.RemoteCall) ([]byte, error) {
	defer l.w.calls.NoteRemote(call.Tenant, call.CallID)()
	return l.w.queue.Remote.AskRemote(ctx, call)
}

func traceparent(ctx context.Context) string {
	h := telemetry.Header{}
	telemetry.Inject(ctx, h)
	return h.Get("traceparent")
}
