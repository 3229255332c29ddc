package workers

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/history"
)

// TestStoredMinutes: dispatchers that store a minute at the same time leave one account of it, a
// part of a minute is completed, and a dispatcher that starts has read what is stored.
func TestStoredMinutes(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	bucket, err := q.Conn.Bucket(queuetest.Context(t), streams.BucketHistory)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{queue: q, live: fleet.New(), bucket: bucket, log: zap.NewNop()}
	stored := func(m history.Minute) history.Minute {
		t.Helper()
		value, err := bucket.Get(queuetest.Context(t), m.Key())
		if err != nil {
			t.Fatal(err)
		}
		got, ok := history.Decode(m.Key(), value)
		if !ok {
			t.Fatalf("stored is %s", value)
		}
		return got
	}
	now := time.Now().Unix() / 60
	m := history.Minute{Number: now - 1, To: 60_000, Watched: 60_000, Total: history.Counts{Succeeded: 7}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := r.put(queuetest.Context(t), m); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := stored(m); got.Total.Succeeded != 7 {
		t.Errorf("stored are %d calls, want 7", got.Total.Succeeded)
	}
	first := history.Minute{Number: now, To: 20_000, Watched: 20_000, Total: history.Counts{Succeeded: 2}}
	rest := history.Minute{Number: now, From: 30_000, To: 60_000, Watched: 30_000, Total: history.Counts{Succeeded: 3}}
	for range 2 { // the second time changes nothing
		for _, part := range []history.Minute{first, rest} {
			if err := r.put(queuetest.Context(t), part); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := stored(first); got.Total.Succeeded != 5 || got.Watched != 50_000 {
		t.Errorf("two parts are stored as %+v, want 5 calls in 50 s", got)
	}

	life, end := context.WithCancel(t.Context())
	kept, ended := FollowHistory(life, q, fleet.New(), zap.NewNop())
	defer ended()
	defer end()
	queuetest.Until(t, "the stored minutes are in the history", func() bool {
		got := kept.Last(t.Context(), time.Hour)
		var calls float64
		for i, known := range got.Known {
			if known {
				calls += got.Total.Success[i]
			}
		}
		return calls > 0
	})
}
