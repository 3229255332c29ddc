package worker_test

import (
	"crypto/ed25519"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/token"
)

// operator returns the orders of a dispatcher whose key is published, or not.
func (w *world) operator(published bool) *fleet.Orders {
	w.t.Helper()
	ctx := queuetest.Context(w.t)
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	signer := token.NewSigner(key)
	if published {
		if err := keysync.Publish(w.t.Context(), w.queue, keysync.Token, signer.Public(), nil, zap.NewNop()); err != nil {
			w.t.Fatal(err)
		}
	}
	bucket, err := w.queue.Conn.Bucket(ctx, streams.BucketOrders)
	if err != nil {
		w.t.Fatal(err)
	}
	return &fleet.Orders{Bucket: bucket, Notes: token.Notes{Signer: signer, Purpose: fleet.OrderPurpose}}
}

// TestOrders: an operator's pause of a pool holds for a worker that starts later; orders
// that no dispatcher signed, and earlier orders that are stored once more, change nothing.
func TestOrders(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, nil), queuetest.Context(t)
	operator, thief := w.operator(true), w.operator(false)
	give := func(by *fleet.Orders, action string, at time.Time) {
		t.Helper()
		if err := by.Give(ctx, fleet.Order{Action: action, Pool: "default", At: at}); err != nil {
			t.Fatal(err)
		}
	}
	paused := func() bool {
		live, err := fleet.Load(ctx, w.queue)
		return err == nil && len(live["default"]) == 1 && live["default"][0].Paused
	}
	now := time.Now()
	give(operator, fleet.Resume, now)
	resumed, err := operator.Bucket.Get(ctx, "pool.default") // what a thief has seen
	if err != nil || resumed == nil {
		t.Fatal(err)
	}
	give(operator, fleet.Pause, now)
	w.start()
	if !paused() {
		t.Error("a worker that starts in a paused pool is not announced as paused")
	}
	w.enqueue("c1", 0)
	give(thief, fleet.Resume, now.Add(time.Hour))
	if err := operator.Bucket.Put(ctx, "pool.default", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := operator.Bucket.Delete(ctx, "pool.default"); err != nil {
		t.Fatal(err)
	}
	if err := operator.Bucket.Put(ctx, "pool.default", resumed); err != nil {
		t.Fatal(err)
	}
	give(operator, fleet.Pause, now.Add(time.Second))
	w.waits(1)
	give(operator, fleet.Resume, now.Add(2*time.Second))
	queuetest.Receive(t, w.entered, "call after the pause")
	queuetest.Until(t, "the worker is announced as running", func() bool { return !paused() })
	close(w.leave)
}

// TestRepeatedOrder: a thief stores the bytes of an old order, which resumes a pool, in place
// of the pause. A worker that starts then takes no call until a dispatcher has stored an
// order again.
func TestRepeatedOrder(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, nil), queuetest.Context(t)
	operator := w.operator(true)
	give := func(action string) {
		t.Helper()
		if err := operator.Give(ctx, fleet.Order{Action: action, Pool: "default", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	give(fleet.Resume)
	old, err := operator.Bucket.Get(ctx, "pool.default")
	if err != nil || old == nil {
		t.Fatal(err)
	}
	give(fleet.Pause)
	if err := operator.Bucket.Put(ctx, "pool.default", old); err != nil {
		t.Fatal(err)
	}
	w.start()
	live, err := fleet.Load(ctx, w.queue)
	if err != nil || len(live["default"]) != 1 || !live["default"][0].Paused {
		t.Errorf("after an old order was stored once more the workers are %+v (%v), want one that is paused", live, err)
	}
	w.enqueue("c1", 0)
	w.waits(1)
	if err := operator.Bucket.Delete(ctx, "pool.default"); err != nil { // as a dispatcher does that knows no order
		t.Fatal(err)
	}
	queuetest.Receive(t, w.entered, "call after the removal")
	close(w.leave)
}
