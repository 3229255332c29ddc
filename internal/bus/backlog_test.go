package bus_test

import (
	"testing"

	"github.com/helve-dev/helve/internal/bus/bustest"
)

func TestBacklogsCountWhatWaits(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t), ackWait(never))
	ctx := bustest.Context(t)
	seen := make(chan int64, 100_000)
	backlogs := b.WatchBacklogs(ctx, func(pool string, waiting int64) {
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
		bustest.Until(t, "the backlog is as expected", func() bool { return bustest.Receive(t, seen, "count") == want })
	}
	waitFor(0)
	submitAll(t, b, 5)
	waitFor(5)
	c, taken := consume(t, b, 2)
	defer c.Close()
	one, two := bustest.Receive(t, taken, "call"), bustest.Receive(t, taken, "call")
	waitFor(3) // what workers hold does not wait
	settled(one)
	settled(two)
	for range 3 {
		settled(bustest.Receive(t, taken, "call"))
	}
	waitFor(0)
}

func TestBacklogsAddCountsAtOnce(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := bustest.Connect(t, srv)
	backlogs := b.WatchBacklogs(bustest.Context(t), nil)
	if err := backlogs.Watch(bustest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	srv.Stop() // the server says nothing any more: only what was added counts
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
	b := bustest.Connect(t, bustest.Server(t))
	if err := b.WatchBacklogs(bustest.Context(t), nil).Watch(bustest.Context(t), "not.a.pool"); err == nil {
		t.Error("Watch(not.a.pool) succeeded, want an error")
	}
}
