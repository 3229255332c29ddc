package natsio_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// TestAlteredSharedConsumer: each alteration of a shared consumer is changed back, and the
// work of two processes goes on, each piece done.
func TestAlteredSharedConsumer(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it alters a consumer and waits until each change is undone")
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	js := q.Conn.JetStream()
	const stream, name, filter = streams.Decisions, "helve_test", "helve.v1.*.consent.decision.*"
	done := make(chan string, 100)
	shared := natsio.Shared{Conn: q.Conn, Stream: stream, Name: name, Filter: filter, Restore: q.Restore}
	other := shared
	other.Conn = queuetest.Connect(t, srv).Conn
	for _, s := range []natsio.Shared{shared, other} {
		if err := s.Serve(ctx, func(_ context.Context, w natsio.Work) error { done <- w.ID; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	consumer, err := js.Consumer(ctx, stream, name)
	if err != nil {
		t.Fatal(err)
	}
	want := consumer.CachedInfo().Config
	for alteration, alter := range map[string]func(*jetstream.ConsumerConfig){
		"filter":   func(c *jetstream.ConsumerConfig) { c.FilterSubject = "helve.v1.*.consent.decision.nobody" },
		"delivery": func(c *jetstream.ConsumerConfig) { c.MaxDeliver = 1 },
		"pending":  func(c *jetstream.ConsumerConfig) { c.MaxAckPending = 1 },
		"headers":  func(c *jetstream.ConsumerConfig) { c.HeadersOnly = true },
		"wait":     func(c *jetstream.ConsumerConfig) { c.AckWait = time.Hour },
	} {
		changed := want
		alter(&changed)
		if _, err := js.UpdateConsumer(ctx, stream, changed); err != nil {
			t.Fatalf("%s: %v", alteration, err)
		}
		restored(t, js, stream, name, alteration, func(i *jetstream.ConsumerInfo) bool {
			return i.Config.FilterSubject == want.FilterSubject && i.Config.MaxDeliver == want.MaxDeliver &&
				i.Config.MaxAckPending == want.MaxAckPending &&
				!i.Config.HeadersOnly && i.Config.AckWait == want.AckWait
		})
		works(t, js, done, alteration)
	}
	if _, err := js.PauseConsumer(ctx, stream, name, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	restored(t, js, stream, name, "pause", func(i *jetstream.ConsumerInfo) bool { return !i.Paused })
	works(t, js, done, "pause")
	if err := js.DeleteConsumer(ctx, stream, name); err != nil {
		t.Fatal(err)
	}
	works(t, js, done, "deletion")
}

func restored(t *testing.T, js jetstream.JetStream, stream, name, alteration string, as func(*jetstream.ConsumerInfo) bool) {
	t.Helper()
	queuetest.Until(t, "the consumer is as before the alteration of its "+alteration, func() bool {
		consumer, err := js.Consumer(t.Context(), stream, name)
		return err == nil && as(consumer.CachedInfo())
	})
}

// works publishes a piece of work, which must be done.
func works(t *testing.T, js jetstream.JetStream, done <-chan string, id string) {
	t.Helper()
	if _, err := js.Publish(t.Context(), "helve.v1.acme.consent.decision."+id, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for got := ""; got != id; { // a piece that was in progress may be done a second time
		got = queuetest.Receive(t, done, "work after the alteration of "+id)
	}
}
