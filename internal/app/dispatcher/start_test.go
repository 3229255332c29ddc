package dispatcher

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/telemetry"
)

// TestStartDuringAnElection starts a dispatcher on streams and buckets each of which has no leader
// at the first request of each kind. The dispatcher waits for all of them, and logs each once.
func TestStartDuringAnElection(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	queuetest.Connect(t, srv)
	// Its stream is read once when the streams are prepared, and once when the store is opened.
	proxy := queuetest.NewLeaderless(t, srv, natsio.ObjectStream(streams.ObjectsResults), 2)
	cfg := config.Default()
	cfg.NATS.URL, cfg.HTTP.Addr, cfg.Data = proxy.URL, "127.0.0.1:0", t.TempDir()
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(cfg, "test"), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	core, logged := observer.New(zap.WarnLevel)
	kit.Log = zap.New(core)
	defer kit.Close(context.Background())
	ctx, stop := context.WithCancel(queuetest.Context(t))
	defer stop()
	up, down := make(chan string, 1), make(chan error, 1)
	go func() { down <- Run(ctx, cfg, kit, func(url string) { up <- url }, nil) }()
	select {
	case <-up:
	case err := <-down:
		t.Fatalf("the dispatcher ended with %v; the requests were %v, the log\n%v", err, proxy.Asked(), logged.All())
	}
	asked := proxy.Asked()
	if said := logged.FilterMessage("nats does not answer; trying again").Len(); len(asked) < 20 || said < 20 || said > len(asked) {
		t.Errorf("%d lines were logged for %v, want one for each", said, slices.Sorted(maps.Keys(asked)))
	}
	stop()
	if err := queuetest.Receive(t, down, "end"); err != nil {
		t.Errorf("the dispatcher ended with %v", err)
	}
}
