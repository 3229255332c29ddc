package worker_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/app/worker"
	"github.com/helve-dev/helve/internal/natsio"
	"github.com/helve-dev/helve/internal/queue"
	"github.com/helve-dev/helve/internal/queue/queuetest"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/store"
	"github.com/helve-dev/helve/tool"
)

// TestOldDocuments: a worker moves what an earlier release kept for a person into the
// store, where the tools of the person's calls find it.
func TestOldDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if err := (natsio.Topology{Conn: w.queue.Conn}).Bucket(t.Context(), natsio.BucketSpec{Name: queue.BucketDocuments, KeyTTL: true}); err != nil {
		t.Fatal(err)
	}
	bucket, err := w.queue.Conn.Bucket(t.Context(), queue.BucketDocuments)
	if err != nil {
		t.Fatal(err)
	}
	if err := bucket.PutFor(t.Context(), tenant+"._.coding_results.019-a", []byte(`{"output":"done"}`), time.Hour); err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 2)
	set := tool.NewSet("Test", "test")
	tool.Add(set, tool.Spec[struct{}, string]{
		Name: "look", Description: "Looks.", Risk: tool.Low, Mutates: false, Idempotent: true, Timeout: time.Minute, Needs: tool.NeedStore,
		Run: func(ctx context.Context, call *tool.Call, _ struct{}) (string, error) {
			row, err := call.Store.Get(ctx, &tool.Shape{Name: "coding_results"}, "019-a")
			seen <- string(row.Doc)
			return "", err
		},
	})
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(w.cfg, "test"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	up, down := make(chan string, 1), make(chan error, 1)
	go func() {
		program := worker.Program{Sets: []*tool.Set{set}, Parts: []toolbox.Part{store.Part()}}
		down <- program.Embed(ctx, w.cfg, kit, func(id string) { up <- id })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-down; err != nil {
			t.Errorf("the worker ended with %v", err)
		}
		kit.Close(context.Background())
	})
	queuetest.Receive(t, up, "worker")
	queuetest.Until(t, "the bucket is empty", func() bool {
		keys, err := bucket.Keys(t.Context(), ">")
		return err == nil && len(keys) == 0
	})
	w.enqueue("c1", 0)
	if got := queuetest.Receive(t, seen, "call"); got != `{"output":"done"}` {
		t.Errorf("a call finds %q", got)
	}
}
