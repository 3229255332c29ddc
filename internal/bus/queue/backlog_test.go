package queue_test

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

func TestBacklogsCountWhatWaits(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	ctx := queuetest.Context(t)
	seen := make(chan int64, 100_000)
	backlogs := q.Calls.WatchBacklogs(ctx, func(w queue.PoolBacklog) {
		pool, waiting := w.Pool, w.Calls
		if pool != "default" {
			t.Errorf("pool %q was counted, want default", pool)
		}
		seen <- waiting
	})
	if got := backlogs.Add("default", 7); got != 0 {
		t.Errorf("Add to a pool nobody watches = %d, want 0", got)
	}
	for range 2 {
		if err := backlogs.Watch(ctx, "default"); err != nil {
			t.Fatal(err)
		}
	}
	waitFor := func(want int64) {
		t.Helper()
		queuetest.Until(t, "the backlog is as expected", func() bool { return queuetest.Receive(t, seen, "count") == want })
	}
	waitFor(0)
	submitAll(t, q, 5)
	waitFor(5)
	c, taken := consume(t, q, 2)
	defer c.Close()
	one, two := queuetest.Receive(t, taken, "call"), queuetest.Receive(t, taken, "call")
	waitFor(2) // calls held by workers do not count, nor does the call that is fetched ahead
	settled(one)
	settled(two)
	for range 3 {
		settled(queuetest.Receive(t, taken, "call"))
	}
	waitFor(0)
}

func TestBacklogsAddCountsAtOnce(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	backlogs := q.Calls.WatchBacklogs(queuetest.Context(t), nil)
	if err := backlogs.Watch(queuetest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	srv.Stop() // the server no longer answers: only added calls count
	before := backlogs.Add("default", 0)
	if got := backlogs.Add("default", 3); got != before+3 {
		t.Errorf("Add(3) = %d, want %d", got, before+3)
	}
	if got := backlogs.Add("default", -1); got != before+2 {
		t.Errorf("Add(-1) = %d, want %d", got, before+2)
	}
}

func TestBacklogsRefuseABadPool(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	if err := q.Calls.WatchBacklogs(queuetest.Context(t), nil).Watch(queuetest.Context(t), "not.a.pool"); err == nil {
		t.Error("Watch(not.a.pool) succeeded, want an error")
	}
}

func TestBacklogsCountAllLanes(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	ctx := queuetest.Context(t)
	seen := make(chan int64, 100_000)
	backlogs := q.Calls.WatchBacklogs(ctx, func(w queue.PoolBacklog) { seen <- w.Calls })
	if err := backlogs.Watch(ctx, "default"); err != nil {
		t.Fatal(err)
	}
	for i, lane := range []string{queue.Quick, "0", "7", "b0", "b3"} {
		e := newCall(fmt.Sprint("c", i))
		e.Lane = lane
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
	// Including the calls of another process.
	queuetest.Until(t, "all lanes are counted", func() bool { return queuetest.Receive(t, seen, "count") == 5 })
	e := newCall("mine")
	e.Lane = "4"
	if err := submit(t, q, e); err != nil {
		t.Fatal(err)
	}
	backlogs.Spilled("default", "4")
	backlogs.Spilled("nowhere", "4")
	queuetest.Until(t, "the spilled call is counted", func() bool { return queuetest.Receive(t, seen, "count") == 6 })
}
