package queue_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
)

// moved moves a running call and returns the outcome of the move.
func moved(t testing.TB, d *queue.Delivery, lane string) error {
	t.Helper()
	d.Release()
	done := make(chan error, 2)
	d.Move(lane, func(err error) { done <- err })
	return queuetest.Receive(t, done, "end of the move")
}

func TestMoveIsNoAttempt(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	c, taken := consume(t, q, 1)
	defer c.Close()
	e := newCall("c")
	e.User, e.Priority, e.Traceparent = "u", protocol.PriorityBatch, "00-aa-bb-01"
	if err := submit(t, q, e); err != nil {
		t.Fatal(err)
	}
	wants := func(attempt, moves int, lane string) *queue.Delivery {
		t.Helper()
		d := queuetest.Receive(t, taken, "delivery")
		if d.Attempt != attempt || d.Moves != moves || d.Lane != lane || d.Traceparent != e.Traceparent || d.Priority != e.Priority ||
			string(d.Arguments) != string(e.Arguments) {
			t.Errorf("attempt %d, moves %d, lane %q, want %d, %d, %q and the rest as it was", d.Attempt, d.Moves, d.Lane, attempt, moves, lane)
		}
		if d.Redelivered() != (moves > 0 || attempt > 1) {
			t.Errorf("Redelivered() = %v after %d moves, want the worker to look for an earlier attempt", d.Redelivered(), moves)
		}
		return d
	}
	d := wants(1, 0, queue.Quick)
	for i, lane := range []string{"3", "b1", queue.Quick} {
		if err := moved(t, d, lane); err != nil {
			t.Fatal(err)
		}
		d = wants(1, i+1, lane)
	}
	d.Release()
	d.Retry(0)
	d = wants(2, 3, queue.Quick)
	d.Release()
	done := make(chan error, 1)
	d.Return(func(err error) { done <- err })
	if err := queuetest.Receive(t, done, "end of Return"); err != nil {
		t.Fatal(err)
	}
	lane, _ := queue.LanesOf("acme", "u", protocol.PriorityBatch)
	settled(wants(2, 4, lane))
	emptied(t, q)
}

// TestMoveCutInTheMiddle: the call is then on the queue twice, and a worker that gets
// either copy looks for the other.
func TestMoveCutInTheMiddle(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	c, taken := consume(t, q, 1)
	defer c.Close()
	if err := submit(t, q, newCall("c")); err != nil {
		t.Fatal(err)
	}
	d := queuetest.Receive(t, taken, "call")
	d.Release()
	half := make(chan error, 1)
	d.HalfMove("0", func(err error) { half <- err })
	if err := queuetest.Receive(t, half, "copy"); err != nil {
		t.Fatal(err)
	}
	copied := queuetest.Receive(t, taken, "copy")
	if copied.Lane != "0" || copied.Attempt != 1 || !copied.Redelivered() {
		t.Errorf("the copy is in lane %q, attempt %d, redelivered %v, want 0, 1, true", copied.Lane, copied.Attempt, copied.Redelivered())
	}
	settled(copied)
	d.Retry(0)
	again := queuetest.Receive(t, taken, "message of the worker that died")
	if again.Lane != queue.Quick || again.Attempt != 2 || !again.Redelivered() {
		t.Errorf("the message is in lane %q, attempt %d, redelivered %v, want the quick one, 2, true",
			again.Lane, again.Attempt, again.Redelivered())
	}
	if err := moved(t, again, "1"); err != nil {
		t.Fatal(err)
	}
	emptied(t, q) // a second move of one message leaves no second copy
	if len(taken) != 0 {
		t.Error("two copies of one message were delivered")
	}
}

func TestMoveWithoutAConnection(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv, ackWait(never))
	c, taken := consume(t, q, 1)
	defer c.Close()
	if err := submit(t, q, newCall("c")); err != nil {
		t.Fatal(err)
	}
	d := queuetest.Receive(t, taken, "call")
	srv.Stop()
	d.Release()
	done := make(chan error, 2)
	d.Move("0", func(err error) { done <- err })
	q.GiveUpAcks()
	if err := queuetest.Receive(t, done, "end of the move"); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Move without a connection = %v, want ErrUnavailable", err)
	}
}

// TestAWaitingCallGoesToAFreeWorker: that counts no attempt.
func TestAWaitingCallGoesToAFreeWorker(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two := queuetest.Connect(t, srv, ackWait(never)), queuetest.Connect(t, srv, ackWait(never))
	spilled(t, one, "u", "", 2)
	a, fromA := consume(t, one, 1)
	defer a.Close()
	runs := queuetest.Receive(t, fromA, "call")
	queuetest.Until(t, "the other call waits at the same worker", func() bool { return a.Waiting() == 1 })
	b, fromB := consume(t, two, 1)
	defer b.Close()
	d := queuetest.Receive(t, fromB, "call that waited elsewhere")
	if d.ID == runs.ID || d.Attempt != 1 || d.Moves != 1 {
		t.Errorf("got %s, attempt %d, moves %d, want the waiting call, 1, 1", d.ID, d.Attempt, d.Moves)
	}
	settled(d)
	settled(runs)
	emptied(t, one)
}

func TestDrainPutsBackWhatWaits(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two := queuetest.Connect(t, srv, ackWait(never)), queuetest.Connect(t, srv, ackWait(never))
	const users = 6
	for i := range users {
		spilled(t, one, fmt.Sprint("u", i), "", 1)
	}
	a, fromA := consume(t, one, 1)
	defer a.Close()
	runs := queuetest.Receive(t, fromA, "call")
	queuetest.Until(t, "a call waits", func() bool { return a.Waiting() > 0 })
	drained := make(chan error, 1)
	go func() { drained <- a.Drain(queuetest.Context(t)) }()
	b, fromB := consume(t, two, users)
	defer b.Close()
	for range users - 1 {
		d := queuetest.Receive(t, fromB, "call of the worker that drains")
		if d.ID == runs.ID {
			t.Errorf("%s was delivered while it runs", d.ID)
		}
		settled(d)
	}
	settled(runs)
	if err := queuetest.Receive(t, drained, "end of Drain"); err != nil {
		t.Errorf("Drain = %v", err)
	}
	if len(fromA) > 0 {
		t.Error("the draining worker started another call")
	}
	emptied(t, one)
}

// TestABacklogInTheQuickLaneIsSorted: a dispatcher of an earlier version puts all calls
// there. A call behind hundreds of calls of another user still starts.
func TestABacklogInTheQuickLaneIsSorted(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	c, taken := consume(t, q, 4)
	defer c.Close()
	for i := range 200 {
		e := newCall(fmt.Sprint("n", i))
		e.User = "noisy"
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
	quiet := newCall("quiet")
	quiet.User = "quiet"
	if err := submit(t, q, quiet); err != nil {
		t.Fatal(err)
	}
	var running []*queue.Delivery
	for len(running) < 4 {
		running = append(running, queuetest.Receive(t, taken, "call"))
	}
	if last := running[3]; last.ID != "quiet" {
		t.Errorf("%s has the reserved slot, want the quiet call", last.ID)
	}
	settled(running[3])
	running = running[:3]
	for range 200 - 3 {
		settled(running[0])
		running = append(running[1:], queuetest.Receive(t, taken, "call"))
	}
	for _, d := range running {
		if d.Attempt != 1 {
			t.Errorf("%s is at attempt %d, want 1", d.ID, d.Attempt)
		}
		settled(d)
	}
	emptied(t, q)
}

// TestHeldCallsSurviveAReconnect: no call is lost or delivered twice at the same time.
func TestHeldCallsSurviveAReconnect(t *testing.T) {
	srv := queuetest.Server(t)
	const wait = 500 * time.Millisecond
	q := queuetest.Connect(t, srv, ackWait(wait))
	const calls = 30
	c, taken := consume(t, q, 2)
	defer c.Close()
	for i := range calls {
		spilled(t, q, fmt.Sprint("u", i), "", 1)
	}
	queuetest.Until(t, "calls wait", func() bool { return c.Waiting() > 0 })
	c.Restore() // as on a reconnect
	done := map[string]int{}
	for len(done) < calls {
		d := queuetest.Receive(t, taken, "call")
		done[d.ID]++
		settled(d)
	}
	emptied(t, q)
}

func TestSetKind(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	c, taken := consume(t, q, 4)
	defer c.Close()
	enqueue := func(id, lane string) {
		t.Helper()
		e := newCall(id)
		e.Lane = lane
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
	one, two := queue.KindLane(3), queue.KindLane(0x1f)
	if one != "k3" || two != "kf" {
		t.Fatalf("KindLane = %s, %s, want k3, kf", one, two)
	}
	for i, lane := range []string{one, two, one} {
		id := fmt.Sprint("c", i)
		enqueue(id, lane) // before this worker asks for calls of the lane
		if err := c.SetKind(queuetest.Context(t), lane); err != nil {
			t.Fatal(err)
		}
		d := queuetest.Receive(t, taken, "call of the kind")
		if d.ID != id || d.Lane != lane {
			t.Errorf("%s came by lane %s, want %s by %s", d.ID, d.Lane, id, lane)
		}
		settled(d)
	}
	emptied(t, q)
	c.Restore()
	enqueue("after", one)
	settled(queuetest.Receive(t, taken, "call after a reconnect"))
}
