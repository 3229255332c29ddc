package worker_test

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

// TestDocumentsOfACall: a tool that asks for documents gets those of its tenant
// and user, and the next call of the same finds what the first stored.
func TestDocumentsOfACall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	seen := make(chan []string, 2)
	set := tool.NewSet("Test", "test")
	tool.Add(set, tool.Spec[struct{}, string]{
		Name: "look", Description: "Looks.", Risk: tool.Low, Mutates: false, Idempotent: true, Timeout: time.Minute, Needs: tool.NeedDocuments,
		Run: func(ctx context.Context, call *tool.Call, _ struct{}) (string, error) {
			before, err := call.Documents.List(ctx, "kept")
			if err == nil {
				err = call.Documents.Put(ctx, "kept", call.ID, json.RawMessage(`{}`), time.Minute)
			}
			seen <- before
			return "", err
		},
	})
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(w.cfg, "test"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	up, down := make(chan string, 1), make(chan error, 1)
	go func() { down <- worker.Embed(ctx, w.cfg, kit, func(id string) { up <- id }, set) }()
	t.Cleanup(func() {
		stop()
		if err := <-down; err != nil {
			t.Errorf("the worker ended with %v", err)
		}
		kit.Close(context.Background())
	})
	bustest.Receive(t, up, "worker")
	w.queue("c1", 0)
	if got := bustest.Receive(t, seen, "call"); len(got) != 0 {
		t.Errorf("the first call finds %q, want nothing", got)
	}
	bustest.Until(t, "the first call is over", func() bool { return len(w.records()) > 0 })
	w.queue("c2", 0)
	if got := bustest.Receive(t, seen, "call"); len(got) != 1 || got[0] != "c1" {
		t.Errorf("the second call finds %q, want what c1 kept", got)
	}
}
