package worker_test

import (
	"context"
	"io"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app/worker"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// noTasks is a store without tasks.
type noTasks struct{}

func (noTasks) Fill(*tool.Call, []tool.Scopes) error { return nil }
func (noTasks) Close()                               {}

// Serve implements [toolbox.Keeper].
func (noTasks) Serve(context.Context, peer.DataRequest, io.Reader, io.Writer) (any, error) {
	return peer.TaskTimers{}, nil
}

// TestStartDuringAnElection starts a worker on streams and buckets each of which has no leader at
// the first request of each kind. The worker waits for all of them. When it is announced it answers
// for scheduled tasks: dispatchers ask for them then, and log a warning if nothing answers.
func TestStartDuringAnElection(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	// Its stream is read once when the streams are prepared, and once when the store is opened.
	proxy := queuetest.NewLeaderless(t, srv, natsio.ObjectStream(streams.ObjectsResults), 2)
	cfg := config.Default()
	cfg.NATS.URL, cfg.Data = proxy.URL, t.TempDir()
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(cfg, "test"), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer kit.Close(context.Background())
	ctx, stop := context.WithCancel(queuetest.Context(t))
	defer stop()
	timers := make(chan error, 1)
	ask := sync.OnceFunc(func() {
		_, err := q.Data.Timers(ctx, "default", peer.DataRequest{Op: peer.DataTimers, Tenant: subject.System, Limit: 1})
		timers <- err
	})
	if _, err := fleet.Open(ctx, q, func(live fleet.Live) {
		if len(live["default"]) > 0 {
			ask()
		}
	}, func(fleet.Lost) {}, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	parts := []toolbox.Part{{Name: "store", Open: func(config.Config, *workspace.Workspaces) (toolbox.Ports, error) { return noTasks{}, nil }}}
	up, down := make(chan string, 1), make(chan error, 1)
	go func() { down <- worker.Program{Parts: parts}.Embed(ctx, cfg, kit, func(id string) { up <- id }) }()
	select {
	case <-up:
	case err := <-down:
		t.Fatalf("the worker ended with %v; the requests were %v", err, proxy.Asked())
	}
	if asked := proxy.Asked(); len(asked) < 10 {
		t.Errorf("only %v were asked", asked)
	}
	if err := queuetest.Receive(t, timers, "answer about tasks"); err != nil {
		t.Errorf("asked for tasks as soon as it was announced, the worker answers %v", err)
	}
	stop()
	if err := queuetest.Receive(t, down, "end"); err != nil {
		t.Errorf("the worker ended with %v", err)
	}
}
