package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/consent/store"
)

func TestTimerFires(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	fired := make(chan natsio.Work, 3)
	if err := store.On(q).ServeTimers(ctx, func(_ context.Context, w natsio.Work) error { fired <- w; return nil }); err != nil {
		t.Fatal(err)
	}
	for id, in := range map[string]time.Duration{"past": -time.Hour, "soon": 50 * time.Millisecond, "later": time.Hour} {
		if err := store.On(q).SetTimer(ctx, "acme", id, time.Now().Add(in)); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[string]bool{}
	for range 2 {
		ids[queuetest.Receive(t, fired, "timer").ID] = true
	}
	if !ids["past"] || !ids["soon"] {
		t.Errorf("fired: %v, want what was due", ids)
	}
}
