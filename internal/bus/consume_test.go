package bus_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// never is an AckWait after which no test still runs.
const never = time.Hour

func ackWait(d time.Duration) func(*bus.Options) { return func(o *bus.Options) { o.AckWait = d } }

// consume takes calls of the default pool and hands them to the test.
func consume(t testing.TB, b *bus.Bus, slots int) (*bus.Consumer, <-chan *bus.Delivery) {
	t.Helper()
	taken := make(chan *bus.Delivery, 1000)
	if err := b.EnsurePool(bustest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	c, err := b.Consume("default", slots, func(d *bus.Delivery) { taken <- d }, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return c, taken
}

// settled ends a call as a worker does.
func settled(d *bus.Delivery) { d.Release(); d.Ack() }

func pool(t testing.TB, b *bus.Bus) *jetstream.ConsumerInfo {
	t.Helper()
	c, err := b.JetStream().Consumer(bustest.Context(t), bus.StreamCalls, "default")
	if err != nil {
		t.Fatal(err)
	}
	return c.CachedInfo()
}

func submitAll(t testing.TB, b *bus.Bus, calls int) {
	t.Helper()
	for i := range calls {
		if err := submit(t, b, call(fmt.Sprint("c", i))); err != nil {
			t.Fatal(err)
		}
	}
}

// emptied waits until no call is queued any more.
func emptied(t testing.TB, b *bus.Bus) {
	t.Helper()
	bustest.Until(t, "the queue is empty", func() bool {
		s, err := b.JetStream().Stream(bustest.Context(t), bus.StreamCalls)
		return err == nil && s.CachedInfo().State.Msgs == 0
	})
}

// TestConsumeTakesNoMoreThanItsSlots: what waits in a buffer of one worker
// cannot run on another.
func TestConsumeTakesNoMoreThanItsSlots(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t), ackWait(never))
	const calls, slots = 50, 4
	submitAll(t, b, calls)
	c, taken := consume(t, b, slots)
	defer c.Close()
	if c.Slots() != slots {
		t.Errorf("Slots() = %d, want %d", c.Slots(), slots)
	}
	var hand []*bus.Delivery
	for range slots {
		hand = append(hand, bustest.Receive(t, taken, "call"))
	}
	if info := pool(t, b); info.NumAckPending != slots || info.NumPending != calls-slots {
		t.Errorf("the server has given out %d and keeps %d, want %d and %d", info.NumAckPending, info.NumPending, slots, calls-slots)
	}
	if c.Busy() != slots || len(taken) != 0 {
		t.Errorf("Busy() = %d and %d calls more are here, want %d and none", c.Busy(), len(taken), slots)
	}
	seen := map[string]bool{}
	for done := range calls {
		d := hand[0]
		hand = hand[1:]
		if seen[d.CallID] {
			t.Errorf("%s was delivered twice", d.CallID)
		}
		seen[d.CallID] = true
		settled(d)
		if done+slots < calls {
			hand = append(hand, bustest.Receive(t, taken, "refill"))
		}
		if c.Busy() > slots {
			t.Fatalf("%d slots are busy, want at most %d", c.Busy(), slots)
		}
	}
	emptied(t, b)
}

func TestConsumeRunsAtMostSlotsAtOnce(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t), ackWait(never))
	const calls, slots = 300, 8
	if err := b.EnsurePool(bustest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	var now, most atomic.Int64
	done := make(chan struct{}, calls)
	c, err := b.Consume("default", slots, func(d *bus.Delivery) {
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
	submitAll(t, b, calls)
	for range calls {
		bustest.Receive(t, done, "end of a call")
	}
	if most.Load() > slots {
		t.Errorf("%d calls ran at once, want at most %d", most.Load(), slots)
	}
	emptied(t, b)
}

func TestConsumeAsksAgainAfterARefusal(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	c, taken := consume(t, b, 1)
	defer c.Close()
	ctx := bustest.Context(t)
	bustest.Until(t, "the worker waits for a call", func() bool { return pool(t, b).NumWaiting == 1 })
	// The server refuses the request that waits when its consumer goes.
	if err := b.JetStream().DeleteConsumer(ctx, bus.StreamCalls, "default"); err != nil {
		t.Fatal(err)
	}
	if err := b.EnsurePool(ctx, "default"); err != nil {
		t.Fatal(err)
	}
	submitAll(t, b, 1)
	settled(bustest.Receive(t, taken, "call, once the pool was there again"))
}

func TestCloseLeavesHeldCallsToOthers(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	dies, lives := bustest.Connect(t, srv, ackWait(500*time.Millisecond)), bustest.Connect(t, srv, ackWait(500*time.Millisecond))
	submitAll(t, dies, 1)
	a, fromA := consume(t, dies, 1)
	d := bustest.Receive(t, fromA, "first delivery")
	if d.Attempt != 1 || d.Redelivered() {
		t.Errorf("attempt %d, redelivered %v, want 1, false", d.Attempt, d.Redelivered())
	}
	a.Close()
	b, fromB := consume(t, lives, 1)
	defer b.Close()
	d = bustest.Receive(t, fromB, "redelivery")
	if d.CallID != "c0" || d.Attempt < 2 || !d.Redelivered() {
		t.Errorf("got %s attempt %d, redelivered %v, want c0 again", d.CallID, d.Attempt, d.Redelivered())
	}
	settled(d)
	emptied(t, lives)
}

// TestHeartbeatsKeepALongCall is not parallel: its AckWait is short.
func TestHeartbeatsKeepALongCall(t *testing.T) {
	srv := bustest.Server(t)
	const wait = 500 * time.Millisecond
	one, two := bustest.Connect(t, srv, ackWait(wait)), bustest.Connect(t, srv, ackWait(wait))
	submitAll(t, one, 1)
	a, fromA := consume(t, one, 1)
	defer a.Close()
	d := bustest.Receive(t, fromA, "call")
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
	srv := bustest.Server(t)
	one, two := bustest.Connect(t, srv, ackWait(never)), bustest.Connect(t, srv, ackWait(never))
	submitAll(t, one, 1)
	a, fromA := consume(t, one, 4)
	defer a.Close()
	held := bustest.Receive(t, fromA, "call")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Drain(ended); err == nil {
		t.Error("Drain returned nil while a call was held, want its context's error")
	}
	if err := submit(t, one, call("next")); err != nil {
		t.Fatal(err)
	}
	b, fromB := consume(t, two, 1)
	defer b.Close()
	next := bustest.Receive(t, fromB, "call that the draining worker did not take")
	if next.CallID != "next" || len(fromA) != 0 {
		t.Errorf("the other worker got %s, the draining one %d calls, want next and none", next.CallID, len(fromA))
	}
	settled(next)

	drained := make(chan error, 1)
	go func() { drained <- a.Drain(bustest.Context(t)) }()
	held.Release()
	select {
	case err := <-drained:
		t.Errorf("Drain returned %v before the held call was acknowledged", err)
	default:
	}
	held.Ack()
	if err := bustest.Receive(t, drained, "end of Drain"); err != nil {
		t.Errorf("Drain = %v, want nil", err)
	}
	emptied(t, one)
}

func TestDrainOfAnIdleConsumerReturnsAtOnce(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	c, _ := consume(t, b, 2)
	defer c.Close()
	for range 2 {
		if err := c.Drain(bustest.Context(t)); err != nil {
			t.Errorf("Drain = %v, want nil", err)
		}
	}
}
