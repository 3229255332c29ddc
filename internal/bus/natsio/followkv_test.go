package natsio_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// remake deletes a stream and makes it again as it was, empty, as another process would.
func remake(t *testing.T, q *queue.Queue, name string) {
	t.Helper()
	js, ctx := q.Conn.JetStream(), queuetest.Context(t)
	stream, err := js.Stream(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(ctx, name); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(ctx, stream.CachedInfo().Config); err != nil {
		t.Fatal(err)
	}
	natsio.MarkRemade(q.Conn, name)
}

// TestFollowRemadeBucket: a process that follows a bucket follows the new one, and drops the
// keys that it no longer has.
func TestFollowRemadeBucket(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	bucket, err := q.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"lost", "again"} {
		if err := bucket.Put(ctx, key, []byte("1")); err != nil {
			t.Fatal(err)
		}
	}
	type change struct {
		key  string
		gone bool
	}
	changes := make(chan change, 10)
	if err := bucket.Follow(ctx, func(key string, value []byte) { changes <- change{key, value == nil} }); err != nil {
		t.Fatal(err)
	}
	queuetest.Receive(t, changes, "key")
	queuetest.Receive(t, changes, "key")
	remake(t, q, "KV_"+streams.BucketCatalog)
	if got := []change{
		queuetest.Receive(t, changes, "deletion"), queuetest.Receive(t, changes, "deletion"),
	}; !slices.Contains(got, change{"lost", true}) || !slices.Contains(got, change{"again", true}) {
		t.Errorf("changes after the bucket was made again: %v, want both keys deleted", got)
	}
	if err := bucket.Put(ctx, "again", []byte("2")); err != nil {
		t.Fatal(err)
	}
	if got := queuetest.Receive(t, changes, "key of the new bucket"); got != (change{"again", false}) {
		t.Errorf("change %v, want the key of the new bucket", got)
	}
}

// TestFollowRemadeStream: a process that follows a stream begins again with the new one.
func TestFollowRemadeStream(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	got := make(chan string, 10)
	publish := func(text string) {
		t.Helper()
		if _, err := q.Conn.JetStream().Publish(ctx, "helve.v1.acme.consent.decision.ada", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	publish("old")
	if err := q.Conn.Follow(ctx, streams.Decisions, func(m jetstream.Msg, _ uint64) { got <- string(m.Data()) }); err != nil {
		t.Fatal(err)
	}
	queuetest.Receive(t, got, "stored message")
	remake(t, q, streams.Decisions)
	publish("new")
	if text := queuetest.Receive(t, got, "message of the new stream"); text != "new" {
		t.Errorf("message %q, want the one of the new stream", text)
	}
}

// TestWalkRemadeStream: a walk ends with an error, because its place means nothing in the new
// stream.
func TestWalkRemadeStream(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	rests, ended := make(chan struct{}, 10), make(chan error, 1)
	w := &natsio.Walk{
		Conn: q.Conn, Stream: streams.Results, Batch: 10, Wait: time.Minute,
		Each: func(*nats.Msg, *nats.MsgMetadata) error { return nil },
		Rest: func() error { rests <- struct{}{}; return nil },
	}
	go func() { ended <- w.Run(ctx) }()
	queuetest.Receive(t, rests, "end of the stored messages")
	remake(t, q, streams.Results)
	if err := queuetest.Receive(t, ended, "end of the walk"); !errors.Is(err, natsio.ErrRemade) {
		t.Errorf("the walk ended with %v, want %v", err, natsio.ErrRemade)
	}
}

// TestLeaseInRemadeBucket: a process that waits for a lease takes it in the new bucket.
func TestLeaseInRemadeBucket(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	holder, waiting := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	const ttl = 400 * time.Millisecond
	held := make(chan string, 100)
	take := func(q *queue.Queue, name string) {
		go func() {
			_ = q.Conn.Lease(ctx, "work", ttl, func(life context.Context) error {
				held <- name
				<-life.Done()
				return context.Cause(life)
			})
		}()
	}
	take(holder, "first")
	queuetest.Receive(t, held, "holder")
	take(waiting, "second")
	remake(t, holder, "KV_"+natsio.BucketLeases)
	natsio.MarkRemade(waiting.Conn, "KV_"+natsio.BucketLeases)
	queuetest.Receive(t, held, "holder in the new bucket")
}
