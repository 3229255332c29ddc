package fleet_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// announce announces a worker without tools.
func announce(ctx context.Context, q *queue.Queue, id, workspace string, pools ...string) (*fleet.Announcer, error) {
	kinds := map[string]*fleet.Kind{}
	for _, pool := range pools {
		kinds[pool] = nil
	}
	w := fleet.Worker{ID: id, Workspace: workspace, Since: time.Now()}
	return fleet.Announce(ctx, q, w, kinds, func(string) queue.Load { return queue.Load{} }, zap.NewNop())
}

// TestAnnounceWorker: a worker is known to all, those that start later included, until
// it leaves; a worker that ends without leaving expires.
func TestAnnounceWorker(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it waits until an announcement expires")
	srv, ctx := queuetest.Server(t), queuetest.Context(t)
	one, two, dispatcher := queuetest.Connect(t, srv), queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	changes := make(chan fleet.Live, 100)
	if _, err := fleet.Open(ctx, dispatcher, func(l fleet.Live) { changes <- l }, nil, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	until := func(what, pool string, want ...string) {
		t.Helper()
		for {
			if got := queuetest.Receive(t, changes, what).Workspaces(pool); slices.Equal(got, want) {
				return
			}
		}
	}
	until("nobody is there", "default")
	first, err := announce(ctx, one, "w1", "A", "default", "heavy")
	if err != nil {
		t.Fatal(err)
	}
	until("the first worker is there", "default", "A")
	bounded := queuetest.Context(t)
	if _, err := announce(bounded, two, "w2", "B", "default"); err != nil {
		t.Fatal(err)
	}
	until("the second is there", "default", "A", "B")
	live, err := fleet.Load(ctx, dispatcher)
	if err != nil || !slices.Equal(live.Split(), []string{"default"}) || len(live.Workspaces("heavy")) != 1 {
		t.Errorf("Load() = %v, %v", live, err)
	}
	first.Leave(ctx)
	if live, err = fleet.Load(ctx, dispatcher); err != nil || len(live["default"]) != 1 || len(live["heavy"]) != 0 {
		t.Errorf("Load() when the first has left = %v, %v", live, err)
	}
	until("the first has left", "default", "B")
	two.Close() // as if it was killed
	until("the second has expired", "default")
}

// TestAnnounceFaults: what a worker knows of faults is in its entries, which are those of an
// earlier version if there are none.
func TestAnnounceFaults(t *testing.T) {
	t.Parallel()
	srv, ctx := queuetest.Server(t), queuetest.Context(t)
	q := queuetest.Connect(t, srv)
	var load queue.Load
	a, err := fleet.Announce(ctx, q, fleet.Worker{ID: "w1", Workspace: "A"}, map[string]*fleet.Kind{"default": nil, "heavy": nil},
		func(string) queue.Load { return load }, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := q.Conn.Bucket(ctx, streams.BucketWorkers)
	if err != nil {
		t.Fatal(err)
	}
	a.Leave(ctx) // nothing repeats it any longer
	if value, _, err := bucket.GetRevision(ctx, "default.w1"); err != nil || strings.Contains(string(value), "circuits") ||
		strings.Contains(string(value), "rules") {
		t.Errorf("without faults the entry is %s, %v", value, err)
	}
	load = queue.Load{OpenCircuits: 2, RulesRefused: true}
	if err := a.Repeat(ctx); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"default.w1", "heavy.w1"} {
		var w fleet.Worker
		value, _, err := bucket.GetRevision(ctx, key)
		if err == nil {
			err = json.Unmarshal(value, &w)
		}
		if err != nil || w.OpenCircuits != 2 || !w.RulesRefused {
			t.Errorf("entry %s is %s, %v", key, value, err)
		}
	}
}

// TestAnnouncementWithoutWorkspace: an announcement without a directory does not split
// the workers of a pool.
func TestAnnouncementWithoutWorkspace(t *testing.T) {
	t.Parallel()
	srv, ctx := queuetest.Server(t), queuetest.Context(t)
	q := queuetest.Connect(t, srv)
	bucket, err := q.Conn.Bucket(ctx, streams.BucketWorkers)
	if err != nil {
		t.Fatal(err)
	}
	if err := bucket.Put(ctx, "default.w-0", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := announce(ctx, q, "w1", "A", "default"); err != nil {
		t.Fatal(err)
	}
	live, err := fleet.Load(ctx, q)
	if err != nil || len(live["default"]) != 1 || len(live.Split()) != 0 {
		t.Errorf("Load() = %v, %v; want the one worker that names its directory", live, err)
	}
}
