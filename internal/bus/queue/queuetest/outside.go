package queuetest

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/queue"
)

// Outsider returns JetStream as an operator's command line has it.
func Outsider(t testing.TB, url string) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// Bound sets the maximum bytes of a stream of srv; 0 is the number it holds now.
func Bound(t testing.TB, url, stream string, bytes int64) {
	t.Helper()
	js := Outsider(t, url)
	s, err := js.Stream(Context(t), stream)
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.CachedInfo().Config
	if cfg.MaxBytes = bytes; bytes == 0 {
		cfg.MaxBytes = max(1, int64(s.CachedInfo().State.Bytes))
	}
	if _, err := js.UpdateStream(Context(t), cfg); err != nil {
		t.Fatal(err)
	}
}

// ConfigOf reads a stream's configuration back from the server.
func ConfigOf(t testing.TB, q *queue.Queue, stream string) jetstream.StreamConfig {
	t.Helper()
	s, err := q.Conn.JetStream().Stream(Context(t), stream)
	if err != nil {
		t.Fatalf("stream %s: %v", stream, err)
	}
	return s.CachedInfo().Config
}
