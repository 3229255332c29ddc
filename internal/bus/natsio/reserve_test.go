package natsio_test

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestReserveOnAFilledDevice starts a server again that may set aside less than its streams
// have already: they stay as they are, and what they hold can be read.
func TestReserveOnAFilledDevice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func(store int64) (natsio.Topology, func()) {
		srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: dir, MaxStore: store})
		if err != nil {
			t.Fatal(err)
		}
		q := queuetest.Open(t, srv, func(o *queue.Options) { o.Replicas = 1 })
		return natsio.Topology{Conn: q.Conn}, func() { q.Close(); srv.Stop() }
	}
	const mebi = 1 << 20
	s := natsio.Stream{
		StreamConfig: jetstream.StreamConfig{Name: "KEPT", Subjects: []string{"kept"}, MaxBytes: 8 * mebi, Storage: jetstream.FileStorage},
	}
	ctx := queuetest.Context(t)
	before, stop := start(16 * mebi)
	s.Replicas = 1
	if err := before.Stream(ctx, s); err != nil {
		t.Fatal(err)
	}
	if _, err := before.Conn.JetStream().Publish(ctx, "kept", []byte("here")); err != nil {
		t.Fatal(err)
	}
	stop()

	after, stop := start(4 * mebi)
	defer stop()
	s.MaxBytes = 12 * mebi
	if err := after.Stream(ctx, s); err != nil {
		t.Fatalf("a stream that is there already: %v", err)
	}
	is, err := after.Conn.JetStream().Stream(ctx, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	if got := is.CachedInfo(); got.Config.MaxBytes != 8*mebi || got.State.Msgs != 1 {
		t.Errorf("the stream is bounded to %d bytes with %d messages, want %d with 1", got.Config.MaxBytes, got.State.Msgs, 8*mebi)
	}
}
