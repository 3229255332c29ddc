package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/consent/store"
)

func TestSharedWorkIsDoneByOneAndAgainIfItFails(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two, ctx := queuetest.Connect(t, srv), queuetest.Connect(t, srv), queuetest.Context(t)
	done := make(chan natsio.Work, 100)
	var mu sync.Mutex
	failed := false
	handle := func(_ context.Context, w natsio.Work) error {
		mu.Lock()
		defer mu.Unlock()
		if w.ID == "k3" && !failed {
			failed = true
			return errors.New("not now")
		}
		done <- w
		return nil
	}
	for _, q := range []*queue.Queue{one, two} {
		if err := store.On(q).ServeVerdicts(ctx, handle); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		if _, err := store.On(one).Decide(ctx, "acme", fmt.Sprint("k", i), []byte(`{}`), anyVerdict); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	for range 10 {
		w := queuetest.Receive(t, done, "verdict")
		seen[w.ID]++
		if w.Tenant != "acme" || w.Again != (w.ID == "k3") {
			t.Errorf("%+v, want tenant acme, and a second attempt for the failed item only", w)
		}
	}
	if len(seen) != 10 {
		t.Errorf("done: %v, want each once", seen)
	}
}

// TestSharedWorkGoesOnWithoutItsConsumer: NATS may come back without what it
// knew of who does the work.
func TestSharedWorkGoesOnWithoutItsConsumer(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	done := make(chan natsio.Work, 10)
	if err := store.On(q).ServeVerdicts(ctx, func(_ context.Context, w natsio.Work) error { done <- w; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := q.Conn.JetStream().DeleteConsumer(ctx, streams.Parked, "helve_verdicts"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.On(q).Decide(ctx, "acme", "k1", []byte(`{}`), anyVerdict); err != nil {
		t.Fatal(err)
	}
	if w := queuetest.Receive(t, done, "verdict"); w.ID != "k1" {
		t.Errorf("%+v was done, want k1", w)
	}
}

// TestRequestsAreServed: each request that was put into an inbox, and each that found no
// room, comes to one process with its tenant and its data.
func TestRequestsAreServed(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.ConsentsPerUser = 1 }), queuetest.Context(t)
	s := store.On(q)
	asked, refused := make(chan natsio.Work, 3), make(chan natsio.Work, 3)
	into := func(c chan natsio.Work) func(context.Context, natsio.Work) error {
		return func(_ context.Context, w natsio.Work) error { c <- w; return nil }
	}
	if err := errors.Join(s.ServeAsked(ctx, into(asked)), s.ServeRefused(ctx, into(refused))); err != nil {
		t.Fatal(err)
	}
	if err := s.Ask(ctx, "acme", "u1", "k1", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := s.Ask(ctx, "acme", "u1", "k2", []byte("two")); !errors.Is(err, natsio.ErrFull) {
		t.Fatalf("a second request = %v, want ErrFull", err)
	}
	for range 2 { // again is no error
		if err := s.Refuse(ctx, "acme", "k2"); err != nil {
			t.Fatal(err)
		}
	}
	if w := queuetest.Receive(t, asked, "request"); w.Tenant != "acme" || w.ID != "u1" || string(w.Data) != "one" {
		t.Errorf("asked: %+v, want the request of u1", w)
	}
	if w := queuetest.Receive(t, refused, "refusal"); w.Tenant != "acme" || w.ID != "k2" {
		t.Errorf("refused: %+v, want k2", w)
	}
}
