package fleet_test

import (
	"crypto/ed25519"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/identity/token"
)

// notes returns the orders of a new dispatcher that trusts the keys in ring, its own
// included.
func notes(t *testing.T, ring *token.Keyring) (all, own token.Notes) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, alone := token.NewSigner(key), &token.Keyring{}
	if err := errors.Join(ring.Put(signer.KeyID(), signer.Public()), alone.Put(signer.KeyID(), signer.Public())); err != nil {
		t.Fatal(err)
	}
	return token.Notes{Signer: signer, Ring: ring, Purpose: fleet.OrderPurpose}, token.Notes{Ring: alone, Purpose: fleet.OrderPurpose}
}

func TestOpenOrder(t *testing.T) {
	t.Parallel()
	trusted, _ := notes(t, &token.Keyring{})
	foreign, _ := notes(t, &token.Keyring{})
	other := trusted
	other.Purpose = "helve grant v1"
	const body = `{"action":"pause","pool":"default","by":"ada","at":"2026-11-20T12:00:00Z","revision":7}`
	seal := func(n token.Notes, revision ...string) []byte {
		t.Helper()
		note, err := n.Seal([]byte(strings.Replace(body, `"revision":7`, strings.Join(append(revision, `"revision":7`)[:1], ""), 1)))
		if err != nil {
			t.Fatal(err)
		}
		return []byte(note)
	}
	o, err := fleet.OpenOrder(trusted, "pool.default", seal(trusted), 7)
	if err != nil || o.Action != fleet.Pause || o.Pool != "default" || o.By != "ada" || o.Key() != "pool.default" {
		t.Errorf("OpenOrder = %+v, %v", o, err)
	}
	for name, tt := range map[string]struct {
		key   string
		value []byte
	}{
		"unsigned":                   {"pool.default", []byte(body)},
		"of a key nobody trusts":     {"pool.default", seal(foreign)},
		"of another purpose":         {"pool.default", seal(other)},
		"about another pool":         {"pool.heavy", seal(trusted)},
		"about a worker of its name": {"worker.default", seal(trusted)},
		"empty":                      {"pool.default", nil},
		"stored once more":           {"pool.default", seal(trusted, `"revision":6`)},
		"without a revision":         {"pool.default", seal(trusted, `"none":6`)},
	} {
		if o, err := fleet.OpenOrder(trusted, tt.key, tt.value, 7); err == nil {
			t.Errorf("an order that is %s was read: %+v", name, o)
		}
	}
	if pool, ok := fleet.OrderPool("pool.a"); !ok || pool != "a" {
		t.Errorf("OrderPool = %q, %v", pool, ok)
	}
	if id, ok := fleet.OrderWorker("worker.w1"); !ok || id != "w1" {
		t.Errorf("OrderWorker = %q, %v", id, ok)
	}
}

// TestOrdersRenew: pauses are signed by a living dispatcher, and orders that hold no longer
// are removed after a day.
func TestOrdersRenew(t *testing.T) {
	t.Parallel()
	ctx := queuetest.Context(t)
	q := queuetest.Connect(t, queuetest.Server(t))
	bucket, err := q.Conn.Bucket(ctx, streams.BucketOrders)
	if err != nil {
		t.Fatal(err)
	}
	ring := &token.Keyring{}
	gone, _ := notes(t, ring)
	all, own := notes(t, ring)
	before, now := &fleet.Orders{Bucket: bucket, Notes: gone}, &fleet.Orders{Bucket: bucket, Notes: all, Own: own}
	old := time.Now().Add(-48 * time.Hour)
	for _, o := range []fleet.Order{
		{Action: fleet.Pause, Pool: "default", By: "ada", At: old},
		{Action: fleet.Resume, Pool: "heavy", At: old},
		{Action: fleet.Resume, Pool: "fresh", At: time.Now()},
		{Action: fleet.Pause, Worker: "w1", At: old},
		{Action: fleet.Pause, Worker: "gone", At: old},
		{Action: fleet.Drain, Worker: "w2", At: old},
	} {
		if err := before.Give(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := bucket.Put(ctx, "pool.forged", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := now.Renew(ctx, fleet.Live{"default": {{ID: "w1"}, {ID: "w2"}}}); err != nil {
		t.Fatal(err)
	}
	var keys []string
	if err := bucket.LoadRevisions(ctx, func(key string, value []byte, revision uint64) {
		keys = append(keys, key)
		_, err := fleet.OpenOrder(own, key, value, revision)
		if pause := key == "pool.default" || key == "worker.w1"; pause != (err == nil) {
			t.Errorf("order %s after the renewal: %v", key, err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(keys); !slices.Equal(keys, []string{"pool.default", "pool.forged", "pool.fresh", "worker.w1"}) {
		t.Errorf("the orders are %q", keys)
	}
	paused, err := now.Paused(ctx)
	if o := paused["default"]; err != nil || len(paused) != 1 || o.By != "ada" {
		t.Errorf("Paused = %v, %v", paused, err)
	}
}
