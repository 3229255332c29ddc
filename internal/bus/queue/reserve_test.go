package queue_test

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// TestPrepareOnASmallStore: on a store with less room than a setting asks for, its stream gets a
// smaller bound, with a warning, and a later start keeps it.
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
		s, err := js.Stream(queuetest.Context(t), streams.Audit)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.CachedInfo().Config.MaxBytes; got <= 0 || got >= most {
			t.Errorf("the stream is bounded to %d bytes, want less than %d", got, most)
		}
		if n := logged.FilterMessage("stream bounded to the storage there is").FilterField(zap.String("stream",
			streams.Audit)).Len(); n != 1 {
			t.Errorf("again %v: %d warnings, want one", again, n)
		}
	}
}
