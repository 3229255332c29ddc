package queue_test

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestPause: a paused consumer takes no calls and finishes its own; calls that waited for a
// slot return to the queue without counting as attempts; after Resume it takes them.
func TestPause(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	const slots = 2
	submitAll(t, q, 5) // before, so that the consumer knows that calls wait
	c, taken := consume(t, q, slots)
	defer c.Close()
	running := []*queue.Delivery{queuetest.Receive(t, taken, "call"), queuetest.Receive(t, taken, "call")}
	queuetest.Until(t, "one call waits here", func() bool { return c.Waiting() == 1 })

	c.Pause()
	c.Pause()
	if l := c.Load(); !l.Paused || l.Busy != slots || l.Started != slots {
		t.Errorf("the load of a paused consumer is %+v", l)
	}
	queuetest.Until(t, "the call that waited is on the queue again", func() bool { return c.Waiting() == 0 && pool(t, q).NumPending == 3 })
	for _, d := range running {
		settled(d)
	}
	queuetest.Until(t, "its calls are finished", func() bool { return pool(t, q).NumAckPending == 0 })
	e := newCall("later")
	if err := submit(t, q, e); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "calls wait", func() bool { return pool(t, q).NumPending == 4 })
	if c.Busy() != 0 || len(taken) != 0 {
		t.Errorf("a paused consumer runs %d calls, and took %d", c.Busy(), len(taken))
	}

	for range 2 {
		if err := c.Resume(); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for range 4 {
		d := queuetest.Receive(t, taken, "call after the pause")
		if d.Attempt != 1 || seen[d.ID] {
			t.Errorf("call %s is at attempt %d, twice: %v", d.ID, d.Attempt, seen[d.ID])
		}
		seen[d.ID] = true
		settled(d)
	}
	emptied(t, q)
	if l := c.Load(); l.Paused || l.Started != slots+4 {
		t.Errorf("the load after the pause is %+v", l)
	}
}

// TestPauseOfOne: while one consumer is paused the other one runs every call, also those
// that the server had promised to the first.
func TestPauseOfOne(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv, ackWait(never))
	paused, none := consume(t, q, 8)
	defer paused.Close()
	other, taken := consume(t, queuetest.Connect(t, srv, ackWait(never)), 2)
	defer other.Close()
	paused.Pause()
	for i := range 40 {
		e := newCall(fmt.Sprint("c", i))
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
	for range 40 {
		settled(queuetest.Receive(t, taken, "call of the other consumer"))
	}
	emptied(t, q)
	if len(none) != 0 {
		t.Errorf("the paused consumer took %d calls", len(none))
	}
	if err := paused.Drain(queuetest.Context(t)); err != nil {
		t.Errorf("drain of a paused consumer: %v", err)
	}
	if err := paused.Resume(); err != nil || paused.Load().Started != 0 {
		t.Errorf("a drained consumer was resumed: %v, %+v", err, paused.Load())
	}
}

// TestConsumePaused takes nothing before Resume.
func TestConsumePaused(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	if err := q.Calls.EnsurePool(queuetest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	taken := make(chan *queue.Delivery, 1)
	c := q.Calls.ConsumePaused("default", 1, func(d *queue.Delivery) { taken <- d }, func() {})
	defer c.Close()
	submitAll(t, q, 1)
	queuetest.Until(t, "the consumer has counted the call", func() bool { return pool(t, q).NumPending == 1 })
	if info := pool(t, q); info.NumWaiting != 0 || info.NumPending != 1 {
		t.Errorf("before Resume %d requests wait and %d calls", info.NumWaiting, info.NumPending)
	}
	if err := c.Resume(); err != nil {
		t.Fatal(err)
	}
	settled(queuetest.Receive(t, taken, "call"))
}
