package queue_test

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/embedded"
	"github.com/helve-dev/helve/internal/queue"
	"github.com/helve-dev/helve/internal/queue/queuetest"
)

// TestPrepareOnASmallStore: on a store with less room than the bounds the streams get
// smaller bounds, with a warning, and a later start keeps them.
func TestPrepareOnASmallStore(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	const most = int64(1) << 50 // larger than any device of a test
	for _, again := range []bool{false, true} {
		core, logged := observer.New(zapcore.WarnLevel)
		queuetest.Connect(t, srv, func(o *queue.Options) { o.AuditMaxBytes, o.Log = most, zap.New(core) })
		s, err := js.Stream(queuetest.Context(t), queue.StreamAudit)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.CachedInfo().Config.MaxBytes; got <= 0 || got >= most {
			t.Errorf("the stream is bounded to %d bytes, want less than %d", got, most)
		}
		if n := logged.FilterMessage("stream bounded to the storage there is").FilterField(zap.String("stream", queue.StreamAudit)).Len(); n != 1 {
			t.Errorf("again %v: %d warnings, want one", again, n)
		}
	}
}

// TestPrepareOnAFewBytes: on a store with far less room than a machine's memory suggests, all
// streams are made, whichever process is first; and on a store that an earlier version has
// set aside whole, a stream that it did not know still finds room.
func TestPrepareOnAFewBytes(t *testing.T) {
	t.Parallel()
	for _, store := range []int64{48 << 20, 1 << 30, 16<<30 + 1, 17 << 30, 25 << 30} {
		srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir(), MaxStore: store})
		if err != nil {
			t.Fatal(err)
		}
		q := queuetest.Connect(t, srv)
		js, ctx := q.Conn.JetStream(), queuetest.Context(t)
		for _, again := range []bool{false, true} {
			bound := func(stream string) int64 {
				s, err := js.Stream(ctx, stream)
				if err != nil {
					t.Fatal(err)
				}
				return s.CachedInfo().Config.MaxBytes
			}
			results, once, callbacks := bound(queue.StreamResults), bound(queue.StreamOnce), bound(queue.StreamCallbacks)
			if least := min(results, once, callbacks); least < store/16 {
				t.Errorf("%d bytes, again %v: results have %d, once-only records %d and callbacks %d, want a sixteenth for each", store, again, results, once, callbacks)
			}
			if again {
				break
			}
			if err := js.DeleteStream(ctx, queue.StreamCallbacks); err != nil {
				t.Fatal(err)
			}
			hoard, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "HOARD", MaxBytes: callbacks - 1, Storage: jetstream.FileStorage})
			if err != nil {
				t.Fatalf("take the rest of the storage: %v", err)
			}
			if err := queuetest.Open(t, srv).Prepare(ctx); err != nil {
				t.Errorf("%d bytes, none left: %v", store, err)
			}
			if err := js.DeleteStream(ctx, hoard.CachedInfo().Config.Name); err != nil {
				t.Fatal(err)
			}
		}
		srv.Stop()
	}
}
