package queue_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// never is an AckWait longer than any test.
const never = time.Hour

func ackWait(d time.Duration) func(*queue.Options) { return func(o *queue.Options) { o.AckWait = d } }

// consume takes calls of the default pool and passes them to the test.
func consume(t testing.TB, q *queue.Queue, slots int) (*queue.Consumer, <-chan *queue.Delivery) {
	t.Helper()
	taken := make(chan *queue.Delivery, 1000)
	if err := q.Calls.EnsurePool(queuetest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	c, err := q.Calls.Consume("default", slots, func(d *queue.Delivery) { taken <- d }, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return c, taken
}

// settled ends a call as a worker does.
func settled(d *queue.Delivery) { d.Release(); d.Ack() }

func pool(t testing.TB, q *queue.Queue) *jetstream.ConsumerInfo {
	t.Helper()
	c, err := q.Conn.JetStream().Consumer(queuetest.Context(t), streams.Calls, "default")
	if err != nil {
		t.Fatal(err)
	}
	return c.CachedInfo()
}

// submitAll queues calls, each of a different user.
func submitAll(t testing.TB, q *queue.Queue, calls int) {
	t.Helper()
	for i := range calls {
		e := newCall(fmt.Sprint("c", i))
		e.User = fmt.Sprint("u", i)
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
}

// emptied waits until no call is queued any longer.
func emptied(t testing.TB, q *queue.Queue) {
	t.Helper()
	queuetest.Until(t, "the queue is empty", func() bool {
		s, err := q.Conn.JetStream().Stream(queuetest.Context(t), streams.Calls)
		return err == nil && s.CachedInfo().State.Msgs == 0
	})
}

// TestConsumeTakesNoMoreThanItsSlots: a call in a buffer of one worker cannot run on
// another, so only one call is fetched ahead.
func TestConsumeTakesNoMoreThanItsSlots(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	const calls, slots = 50, 4
	submitAll(t, q, calls)
	c, taken := consume(t, q, slots)
	defer c.Close()
	if c.Slots() != slots {
		t.Errorf("Slots() = %d, want %d", c.Slots(), slots)
	}
	var hand []*queue.Delivery
	for range slots {
		hand = append(hand, queuetest.Receive(t, taken, "call"))
	}
	queuetest.Until(t, "one call is fetched ahead", func() bool { return c.Waiting() == 1 })
	if info := pool(t, q); info.NumAckPending != slots+1 || info.NumPending != calls-slots-1 {
		t.Errorf("the server has given out %d and keeps %d, want %d and %d", info.NumAckPending, info.NumPending, slots+1, calls-slots-1)
	}
	if c.Busy() != slots || len(taken) != 0 {
		t.Errorf("Busy() = %d and %d calls more are here, want %d and none", c.Busy(), len(taken), slots)
	}
	seen := map[string]bool{}
	for done := range calls {
		d := hand[0]
		hand = hand[1:]
		if seen[d.ID] {
			t.Errorf("%s was delivered twice", d.ID)
		}
		seen[d.ID] = true
		settled(d)
		if done+slots < calls {
			hand = append(hand, queuetest.Receive(t, taken, "refill"))
		}
		if c.Busy() > slots {
			t.Fatalf("%d slots are busy, want at most %d", c.Busy(), slots)
		}
	}
	emptied(t, q)
}

func TestConsumeRunsAtMostSlotsAtOnce(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	const calls, slots = 300, 8
	if err := q.Calls.EnsurePool(queuetest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	var now, most atomic.Int64
	done := make(chan struct{}, calls)
	c, err := q.Calls.Consume("default", slots, func(d *queue.Delivery) {
		n := now.Add(1)
		for old := most.Load(); n > old; old = most.Load() {
			if most.CompareAndSwap(old, n) {
				break
			}
		}
		now.Add(-1)
		settled(d)
		done <- struct{}{}
	}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	submitAll(t, q, calls)
	for range calls {
		queuetest.Receive(t, done, "end of a call")
	}
	if most.Load() > slots {
		t.Errorf("%d calls ran at once, want at most %d", most.Load(), slots)
	}
	emptied(t, q)
}

func TestConsumeAsksAgainAfterARefusal(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	c, taken := consume(t, q, 1)
	defer c.Close()
	ctx := queuetest.Context(t)
	queuetest.Until(t, "the worker waits for a call", func() bool { return pool(t, q).NumWaiting == 1 })
	// The server refuses the waiting request when its consumer is deleted.
	if err := q.Conn.JetStream().DeleteConsumer(ctx, streams.Calls, "default"); err != nil {
		t.Fatal(err)
	}
	if err := q.Calls.EnsurePool(ctx, "default"); err != nil {
		t.Fatal(err)
	}
	submitAll(t, q, 1)
	settled(queuetest.Receive(t, taken, "call, once the pool was there again"))
}

func TestCloseLeavesHeldCallsToOthers(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	dies, lives := queuetest.Connect(t, srv, ackWait(500*time.Millisecond)), queuetest.Connect(t, srv, ackWait(500*time.Millisecond))
	submitAll(t, dies, 1)
	a, fromA := consume(t, dies, 1)
	d := queuetest.Receive(t, fromA, "first delivery")
	if d.Attempt != 1 || d.Redelivered() {
		t.Errorf("attempt %d, redelivered %v, want 1, false", d.Attempt, d.Redelivered())
	}
	a.Close()
	b, fromB := consume(t, lives, 1)
	defer b.Close()
	d = queuetest.Receive(t, fromB, "redelivery")
	if d.ID != "c0" || d.Attempt < 2 || !d.Redelivered() {
		t.Errorf("got %s attempt %d, redelivered %v, want c0 again", d.ID, d.Attempt, d.Redelivered())
	}
	settled(d)
	emptied(t, lives)
}

// TestHeartbeatsKeepALongCall is not parallel: its AckWait is short.
func TestHeartbeatsKeepALongCall(t *testing.T) {
	srv := queuetest.Server(t)
	const wait = 500 * time.Millisecond
	one, two := queuetest.Connect(t, srv, ackWait(wait)), queuetest.Connect(t, srv, ackWait(wait))
	submitAll(t, one, 1)
	a, fromA := consume(t, one, 1)
	defer a.Close()
	d := queuetest.Receive(t, fromA, "call")
	b, fromB := consume(t, two, 1)
	defer b.Close()
	select {
	case <-fromB:
		t.Error("a call that runs was delivered to another worker")
	case <-time.After(5 * wait):
	}
	if n := pool(t, one).NumRedelivered; n != 0 {
		t.Errorf("%d calls were redelivered, want 0", n)
	}
	settled(d)
	emptied(t, one)
}

func TestDrain(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two := queuetest.Connect(t, srv, ackWait(never)), queuetest.Connect(t, srv, ackWait(never))
	submitAll(t, one, 1)
	a, fromA := consume(t, one, 4)
	defer a.Close()
	held := queuetest.Receive(t, fromA, "call")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Drain(ended); err == nil {
		t.Error("Drain returned nil while a call was held, want its context's error")
	}
	if err := submit(t, one, newCall("next")); err != nil {
		t.Fatal(err)
	}
	b, fromB := consume(t, two, 1)
	defer b.Close()
	next := queuetest.Receive(t, fromB, "call that the draining worker did not take")
	if next.ID != "next" || len(fromA) != 0 {
		t.Errorf("the other worker got %s, the draining one %d calls, want next and none", next.ID, len(fromA))
	}
	settled(next)

	drained := make(chan error, 1)
	go func() { drained <- a.Drain(queuetest.Context(t)) }()
	held.Release()
	select {
	case err := <-drained:
		t.Errorf("Drain returned %v before the held call was acknowledged", err)
	default:
	}
	held.Ack()
	if err := queuetest.Receive(t, drained, "end of Drain"); err != nil {
		t.Errorf("Drain = %v, want nil", err)
	}
	emptied(t, one)
}

func TestDrainOfAnIdleConsumerReturnsAtOnce(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	c, _ := consume(t, q, 2)
	defer c.Close()
	for range 2 {
		if err := c.Drain(queuetest.Context(t)); err != nil {
			t.Errorf("Drain = %v, want nil", err)
		}
	}
}
