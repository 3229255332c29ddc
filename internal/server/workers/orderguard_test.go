package workers

import (
	"crypto/ed25519"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/identity/token"
)

// TestOrderGuard: the bytes of an old order, stored in place of a pause, are replaced by the
// pause, by one of two dispatchers; a value in place of no order is removed.
func TestOrderGuard(t *testing.T) {
	t.Parallel()
	ctx := queuetest.Context(t)
	q := queuetest.Connect(t, queuetest.Server(t))
	bucket, err := q.Conn.Bucket(ctx, streams.BucketOrders)
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	ring, signer := &token.Keyring{}, token.NewSigner(key)
	if err := ring.Put(signer.KeyID(), signer.Public()); err != nil {
		t.Fatal(err)
	}
	orders := &fleet.Orders{Bucket: bucket, Notes: token.Notes{Signer: signer, Ring: ring, Purpose: fleet.OrderPurpose}}
	for range 2 {
		g := &orderGuard{
			orders: orders,
			log:    zap.NewNop(),
			known:  map[string]fleet.Order{},
			fresh:  map[string]storedOrder{},
			wake:   make(chan struct{}, 1),
		}
		if err := g.follow(ctx); err != nil {
			t.Fatal(err)
		}
	}
	give := func(action string) []byte {
		t.Helper()
		if err := orders.Give(ctx, fleet.Order{Action: action, Pool: "default", By: "ada", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		value, err := bucket.Get(ctx, "pool.default")
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	old := give(fleet.Resume)
	give(fleet.Pause)
	for range 3 {
		queuetest.Until(t, "the pause is in force", func() bool {
			paused, err := orders.Paused(ctx)
			return err == nil && paused["default"].By == "ada"
		})
		for key, value := range map[string][]byte{"pool.default": old, "pool.other": []byte("{}")} {
			if err := bucket.Put(ctx, key, value); err != nil {
				t.Fatal(err)
			}
		}
		queuetest.Until(t, "the values are gone", func() bool {
			value, _, err := bucket.GetRevision(ctx, "pool.default")
			other, _, failed := bucket.GetRevision(ctx, "pool.other")
			return err == nil && failed == nil && string(value) != string(old) && other == nil
		})
	}
}
