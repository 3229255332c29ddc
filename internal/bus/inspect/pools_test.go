package inspect_test

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/inspect"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
)

// TestPools counts the calls of all lanes of each pool, and finds the oldest that waits.
func TestPools(t *testing.T) {
	t.Parallel()
	ctx := queuetest.Context(t)
	q := connect(t, queuetest.Server(t))
	if pools, err := q.Inspector.Pools(ctx); err != nil || len(pools) != 0 {
		t.Errorf("before any worker: %v, %v", pools, err)
	}
	c, taken := consume(t, q, 1)
	defer c.Close()
	if err := q.Calls.EnsurePool(ctx, "heavy"); err != nil {
		t.Fatal(err)
	}
	if err := submit(t, q, newCall("c0")); err != nil {
		t.Fatal(err)
	}
	first := queuetest.Receive(t, taken, "call")
	before := time.Now().Add(-time.Minute)
	c.Pause()
	spilled := newCall("spilled")
	spilled.Lane = queue.SpillLane(spilled)
	for _, e := range []*call.Call{newCall("waits"), spilled} {
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
	var pools map[string]inspect.Pool
	queuetest.Until(t, "two calls wait and one is held", func() bool { // the paused consumer returns what it had requested
		var err error
		pools, err = q.Inspector.Pools(ctx)
		p := pools["default"]
		return err == nil && p.Backlog == 2 && p.Held == 1
	})
	if p := pools["default"]; p.Oldest.Before(before) {
		t.Errorf("the pool's state is %+v", p)
	}
	if p, ok := pools["heavy"]; !ok || p != (inspect.Pool{}) {
		t.Errorf("a pool without calls is %+v, %v", p, ok)
	}
	settled(first)
}
