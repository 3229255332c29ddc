package worker_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/app/worker"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// TestNotReadyBeforeItTakesCalls asks for readiness all the time while a worker starts:
// when it is ready its tools are registered.
func TestNotReadyBeforeItTakesCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(w.cfg, "test"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer kit.Close(context.Background())
	probe := func() (status int, checks bool) {
		res := httptest.NewRecorder()
		kit.Health.Ready().ServeHTTP(res, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return res.Code, res.Body.Len() > len(`{"status":"ready"}`)+1
	}
	set := tool.NewSet("Test", "test")
	tool.Add(set, tool.Spec[struct{}, string]{
		Name: "look", Description: "Looks.", Risk: tool.Low, Idempotent: true, Timeout: time.Minute,
		Run: func(context.Context, *tool.Call, struct{}) (string, error) { return "seen", nil },
	})
	catalog, err := w.queue.Conn.Bucket(queuetest.Context(t), streams.BucketCatalog)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	up, down := make(chan string, 1), make(chan error, 1)
	go func() {
		down <- worker.Program{Sets: []*tool.Set{set}}.Embed(ctx, w.cfg, kit, func(id string) { up <- id })
	}()
	queuetest.Until(t, "readiness", func() bool { status, checks := probe(); return checks && status == http.StatusOK })
	if definition, err := catalog.Get(queuetest.Context(t), "look"); err != nil || len(definition) == 0 {
		t.Errorf("a ready worker has registered %q, %v, want its tool", definition, err)
	}
	queuetest.Receive(t, up, "worker")
	stop()
	if err := <-down; err != nil {
		t.Error(err)
	}
}
