package queue_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// TestLaneBehindTheBack deletes and alters the consumer of a lane while its worker is
// connected. Calls go on.
func TestLaneBehindTheBack(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, q *queue.Queue, c jetstream.ConsumerConfig) error{
		"deleted": func(t *testing.T, q *queue.Queue, c jetstream.ConsumerConfig) error {
			return q.Conn.JetStream().DeleteConsumer(queuetest.Context(t), streams.Calls, c.Durable)
		},
		"paused": func(t *testing.T, q *queue.Queue, c jetstream.ConsumerConfig) error {
			_, err := q.Conn.JetStream().PauseConsumer(queuetest.Context(t), streams.Calls, c.Durable, time.Now().Add(time.Hour))
			return err
		},
		"another filter": func(t *testing.T, q *queue.Queue, c jetstream.ConsumerConfig) error {
			c.FilterSubject = "helve.v1.*.call.elsewhere.>"
			return update(t, q, c)
		},
		"another ack wait": func(t *testing.T, q *queue.Queue, c jetstream.ConsumerConfig) error {
			c.AckWait = time.Hour
			return update(t, q, c)
		},
		"one delivery": func(t *testing.T, q *queue.Queue, c jetstream.ConsumerConfig) error {
			c.MaxDeliver = 1
			return update(t, q, c)
		},
		"one at a time": func(t *testing.T, q *queue.Queue, c jetstream.ConsumerConfig) error {
			c.MaxAckPending = 1
			return update(t, q, c)
		},
		"made again by something else": func(t *testing.T, q *queue.Queue, c jetstream.ConsumerConfig) error {
			if err := q.Conn.JetStream().DeleteConsumer(queuetest.Context(t), streams.Calls, c.Durable); err != nil {
				return err
			}
			_, err := q.Conn.JetStream().CreateConsumer(queuetest.Context(t), streams.Calls, jetstream.ConsumerConfig{
				Durable: c.Durable, FilterSubject: c.FilterSubject, AckPolicy: jetstream.AckExplicitPolicy, MaxWaiting: 1, MaxRequestBatch: 1,
			})
			if queuetest.Context(t).Err() == nil && err != nil { // the worker was quicker
				err = nil
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := queuetest.Connect(t, queuetest.Server(t))
			ctx := queuetest.Context(t)
			c, taken := consume(t, q, 2)
			defer c.Close()
			is, err := q.Conn.JetStream().Consumer(ctx, streams.Calls, "default")
			if err != nil {
				t.Fatal(err)
			}
			want := is.CachedInfo().Config
			if err := spoil(t, q, want); err != nil {
				t.Fatal(err)
			}
			queuetest.Until(t, "the consumer as it was", func() bool {
				now, err := q.Conn.JetStream().Consumer(ctx, streams.Calls, "default")
				if err != nil {
					return false
				}
				c := now.CachedInfo()
				return c.Config.FilterSubject == want.FilterSubject && c.Config.AckWait == want.AckWait && c.Config.MaxDeliver == -1 &&
					c.Config.MaxAckPending == want.MaxAckPending && c.Config.MaxRequestBatch == 0 && !c.Paused
			})
			if err := submit(t, q, newCall("after")); err != nil {
				t.Fatal(err)
			}
			d := queuetest.Receive(t, taken, "call")
			settled(d)
			if d.ID != "after" {
				t.Errorf("call %q ran, want the call that was queued after the fault", d.ID)
			}
		})
	}
}

func update(t *testing.T, q *queue.Queue, c jetstream.ConsumerConfig) error {
	t.Helper()
	_, err := q.Conn.JetStream().UpdateConsumer(queuetest.Context(t), streams.Calls, c)
	return err
}

// TestStreamOfCallsDeletedUnderAWorker: the queue and the consumers of the pool are made
// again, and calls go on.
func TestStreamOfCallsDeletedUnderAWorker(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, w := queuetest.Connect(t, srv, func(o *queue.Options) { o.Accepts = true }), queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	c, taken := consume(t, w, 2)
	defer c.Close()
	if err := queuetest.Outsider(t, srv.URL()).DeleteStream(ctx, streams.Calls); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the call is accepted", func() bool { return submit(t, d, newCall("after")) == nil })
	got := queuetest.Receive(t, taken, "call")
	settled(got)
	if got.ID != "after" {
		t.Errorf("call %q ran, want the call that was queued after the fault", got.ID)
	}
}

// TestLostRequests: a worker repeats requests that the server does not know, as after the
// election of another leader, although the heartbeats are not due yet.
func TestLostRequests(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	c, _ := consume(t, q, 2)
	defer c.Close()
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	requests, err := nc.SubscribeSync("$JS.API.CONSUMER.MSG.NEXT." + streams.Calls + ".default")
	if err != nil {
		t.Fatal(err)
	}
	// seen returns the number of requests since the last call.
	seen := func() (n int) {
		t.Helper()
		if err := errors.Join(q.Conn.Flush(queuetest.Context(t)), nc.Flush()); err != nil {
			t.Fatal(err)
		}
		for ; ; n++ {
			if _, err := requests.NextMsg(time.Millisecond); err != nil {
				return n
			}
		}
	}
	const young, old = 100 * time.Millisecond, 3 * time.Second
	for name, tt := range map[string]struct {
		state natsio.ConsumerState
		after time.Duration
		want  int
	}{
		"the server knows them":         {natsio.ConsumerState{Waiting: 1}, old, 0},
		"on their way":                  {natsio.ConsumerState{}, young, 0},
		"not known":                     {natsio.ConsumerState{}, old, 1},
		"a leader of long standing":     {natsio.ConsumerState{Waiting: 1, Led: time.Hour}, old, 0},
		"another leader, of few others": {natsio.ConsumerState{Waiting: 1, Led: time.Second}, old, 1},
	} {
		c.Restore() // its requests are new
		seen()
		c.Look(tt.state, time.Now().Add(tt.after))
		if n := seen(); n != tt.want {
			t.Errorf("%s: %d requests, want %d", name, n, tt.want)
		}
	}
}

// TestLanesAreNoticedInTime: consumers are looked at within the time that docs/cluster.md promises.
func TestLanesAreNoticedInTime(t *testing.T) {
	t.Parallel()
	if within, promised := queue.NoticedWithin(), queuetest.Noticed(t); within > promised {
		t.Errorf("consumers are looked at within %v, promised are %v", within, promised)
	}
}
