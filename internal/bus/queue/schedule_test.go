package queue_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
)

// spilled queues n calls of a user in one of its lanes.
func spilled(t testing.TB, q *queue.Queue, user, priority string, n int) {
	t.Helper()
	for i := range n {
		e := newCall(fmt.Sprint(user, "-", i))
		e.User, e.Priority = user, priority
		e.Lane = queue.SpillLane(e)
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
}

// apart returns two users of the tenant acme whose calls go to different lanes.
func apart(t testing.TB) (one, other string) {
	t.Helper()
	one = "one"
	lane, _ := queue.LanesOf("acme", one, "")
	for i := range 100 {
		other = fmt.Sprint("other", i)
		if l, _ := queue.LanesOf("acme", other, ""); l != lane {
			return one, other
		}
	}
	t.Fatal("100 users have the same lane")
	return "", ""
}

// TestAQuietCallStartsWhileABacklogFillsTheRest: neither the calls of a busy user in the
// quick lane nor those in its own lanes use the reserve.
func TestAQuietCallStartsWhileABacklogFillsTheRest(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	const slots, reserve = 8, 1
	for i := range 16 {
		e := newCall(fmt.Sprint("first", i))
		e.User = "noisy"
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
	spilled(t, q, "noisy", "", 50)
	c, taken := consume(t, q, slots)
	defer c.Close()
	var running []*queue.Delivery
	for range slots - reserve {
		running = append(running, queuetest.Receive(t, taken, "call of the noisy user"))
	}
	queuetest.Until(t, "calls wait for a slot", func() bool { return c.Waiting() > 0 })
	quiet := newCall("quiet")
	quiet.User = "quiet"
	if err := submit(t, q, quiet); err != nil {
		t.Fatal(err)
	}
	d := queuetest.Receive(t, taken, "quiet call while the others run")
	if d.ID != "quiet" {
		t.Fatalf("%s of %s started in the reserve, want the quiet call", d.ID, d.User)
	}
	if n := c.Busy(); n != slots-reserve+1 {
		t.Errorf("%d slots are busy, want %d", n, slots-reserve+1)
	}
	settled(d)
	for left := 16 + 50 - len(running); left > 0; left-- { // all of them run in the end
		settled(running[0])
		running = append(running[1:], queuetest.Receive(t, taken, "next call"))
	}
	for _, d := range running {
		settled(d)
	}
	emptied(t, q)
}

// TestABatchLeavesRoom: calls of priority batch leave a slot for an interactive call of the same
// user, on workers with and without a reserve.
func TestABatchLeavesRoom(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{2, 3, 8} {
		t.Run(fmt.Sprint(slots), func(t *testing.T) {
			t.Parallel()
			q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
			spilled(t, q, "ann", protocol.PriorityBatch, 50)
			c, taken := consume(t, q, slots)
			defer c.Close()
			for range slots - 1 {
				queuetest.Receive(t, taken, "call of the batch")
			}
			queuetest.Until(t, "a call of the batch waits for a slot", func() bool { return c.Waiting() > 0 })
			e := newCall("interactive")
			e.User = "ann"
			if err := submit(t, q, e); err != nil {
				t.Fatal(err)
			}
			if d := queuetest.Receive(t, taken, "interactive call while the batch runs"); d.ID != "interactive" {
				t.Errorf("%s started, want the interactive call", d.ID)
			}
		})
	}
}

// TestUsersTakeTurns: the user whose calls came later does not wait for the backlog of the
// other.
func TestUsersTakeTurns(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	one, other := apart(t)
	spilled(t, q, one, "", 60)
	spilled(t, q, other, "", 20)
	c, taken := consume(t, q, 1)
	defer c.Close()
	starts := map[string]int{}
	for i := range 40 {
		d := queuetest.Receive(t, taken, "call")
		starts[d.User]++
		queuetest.Until(t, "the next call of each waits", func() bool { return c.Waiting() == 2 || i > 35 })
		settled(d)
	}
	if starts[other] < 18 {
		t.Errorf("of 40 starts %d were of the user with the small backlog, want 18 or more of its 20", starts[other])
	}
}

// TestWeightsOfTenants: a tenant of weight 3 starts three calls for each of another.
func TestWeightsOfTenants(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never), func(o *queue.Options) { o.Weights = map[string]int{"heavy": 3} })
	const each = 40
	for _, tenant := range []string{"heavy", "light"} {
		for i := range each {
			e := newCall(fmt.Sprint("c", i))
			e.Tenant = tenant
			e.Lane = map[string]string{"heavy": "0", "light": "1"}[tenant]
			if err := submit(t, q, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	c, taken := consume(t, q, 1)
	defer c.Close()
	starts := map[string]int{}
	for range each {
		d := queuetest.Receive(t, taken, "call")
		starts[d.Tenant]++
		queuetest.Until(t, "the next call of each waits", func() bool { return c.Waiting() == 2 })
		settled(d)
	}
	if n := starts["heavy"]; n < 27 || n > 33 {
		t.Errorf("of %d starts %d were of the tenant of weight 3, want about 30", each, n)
	}
}

func TestInteractiveGoesBeforeBatch(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	spilled(t, q, "batcher", protocol.PriorityBatch, 60)
	spilled(t, q, "person", "", 60)
	c, taken := consume(t, q, 1)
	defer c.Close()
	batch := 0
	for range 45 {
		d := queuetest.Receive(t, taken, "call")
		if d.Priority == protocol.PriorityBatch {
			batch++
		}
		queuetest.Until(t, "the next call of each waits", func() bool { return c.Waiting() == 2 })
		settled(d)
	}
	if batch < 4 || batch > 7 {
		t.Errorf("of 45 starts %d were of priority batch, want about 5: one for 8 interactive ones", batch)
	}
}

// TestBatchUsesWhatIsFree: without other calls, all slots but the reserve run calls of
// priority batch.
func TestBatchUsesWhatIsFree(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	spilled(t, q, "batcher", protocol.PriorityBatch, 100)
	c, taken := consume(t, q, 16)
	defer c.Close()
	var running []*queue.Delivery
	for range 14 {
		running = append(running, queuetest.Receive(t, taken, "call"))
	}
	if c.Busy() != 14 {
		t.Errorf("%d slots are busy, want 14 of 16", c.Busy())
	}
	for _, d := range running {
		settled(d)
	}
}

func TestSlotsBoundAllLanesTogether(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	const calls, users, slots = 600, 12, 7
	if err := q.Calls.EnsurePool(queuetest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	var now, most atomic.Int64
	done := make(chan string, 2*calls)
	c, err := q.Calls.Consume("default", slots, func(d *queue.Delivery) {
		n := now.Add(1)
		old := most.Load()
		for n > old && !most.CompareAndSwap(old, n) {
			old = most.Load()
		}
		now.Add(-1)
		settled(d)
		done <- d.ID
	}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range calls {
		e := newCall(fmt.Sprint("c", i))
		e.User = fmt.Sprint("u", i%users)
		switch i % 3 {
		case 0:
			e.Lane = queue.SpillLane(e)
		case 1:
			e.Priority = protocol.PriorityBatch
			e.Lane = queue.SpillLane(e)
		}
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for range calls {
		id := queuetest.Receive(t, done, "end of a call")
		if seen[id] {
			t.Errorf("%s ran twice", id)
		}
		seen[id] = true
	}
	if most.Load() > slots {
		t.Errorf("%d calls ran at once, want at most %d", most.Load(), slots)
	}
	emptied(t, q)
}
