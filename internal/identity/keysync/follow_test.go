package keysync_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/token"
)

const notePurpose = "a test"

// known makes a process one with a credential.
func known(o *queue.Options) { o.URL = strings.Replace(o.URL, "nats://", "nats://u:p@", 1) }

// signing is a key of a dispatcher.
func signing(t *testing.T) (ed25519.PublicKey, ed25519.PrivateKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return public, private
}

// dispatcher starts a process that signs with key and verifies old keys too.
func dispatcher(ctx context.Context, t *testing.T, q *queue.Queue, key ed25519.PublicKey, old ...ed25519.PublicKey) *token.Keyring {
	t.Helper()
	ring := &token.Keyring{}
	if err := keysync.Follow(ctx, q, keysync.Token, ring, zap.NewNop(), append(old, key)...); err != nil {
		t.Fatal(err)
	}
	if err := keysync.Vouch(q, keysync.Token, ring); err != nil {
		t.Fatal(err)
	}
	if err := keysync.Publish(ctx, q, keysync.Token, key, old, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	return ring
}

// opens reports whether ring verifies what key signs.
func opens(t *testing.T, ring *token.Keyring, key ed25519.PrivateKey) bool {
	t.Helper()
	note, err := token.NewSigner(key).Note(notePurpose, []byte(`{"a": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = ring.OpenNote(notePurpose, note)
	return err == nil
}

// TestRotationWithOverlap: what the old key signed verifies on every process until the
// operator removes the key, and no longer.
func TestRotationWithOverlap(t *testing.T) {
	t.Parallel()
	srv, ctx := queuetest.Server(t), queuetest.Context(t)
	worker := queuetest.Connect(t, srv, known)
	ring := &token.Keyring{}
	if err := keysync.Follow(ctx, worker, keysync.Token, ring, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	oldKey, old := signing(t)
	newKey, fresh := signing(t)

	first := queuetest.Open(t, srv, known)
	dispatcher(ctx, t, first, oldKey)
	queuetest.Until(t, "the first key verifies", func() bool { return opens(t, ring, old) })
	first.Close()

	second := queuetest.Open(t, srv, known)
	dispatcher(ctx, t, second, newKey, oldKey)
	queuetest.Until(t, "the second key verifies", func() bool { return opens(t, ring, fresh) })
	if !opens(t, ring, old) {
		t.Error("the old key does not verify during the overlap")
	}
	young := &token.Keyring{} // a worker that starts during the overlap
	if err := keysync.Follow(ctx, worker, keysync.Token, young, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "both verify on a new worker", func() bool { return opens(t, young, old) && opens(t, young, fresh) })
	second.Close()

	third := queuetest.Open(t, srv, known)
	defer third.Close()
	desk := dispatcher(ctx, t, third, newKey)
	for what, r := range map[string]*token.Keyring{"worker": ring, "new worker": young, "dispatcher": desk} {
		queuetest.Until(t, "the old key is forgotten by the "+what, func() bool { return !opens(t, r, old) })
		if !opens(t, r, fresh) {
			t.Errorf("the key that signs does not verify on the %s", what)
		}
	}
}

// TestForgedPublicKey: a key that somebody put into the bucket counts for nobody until
// a dispatcher confirms it.
func TestForgedPublicKey(t *testing.T) {
	t.Parallel()
	srv, ctx := queuetest.Server(t), queuetest.Context(t)
	thief, worker, one, two := queuetest.Connect(t, srv, known), queuetest.Connect(t, srv, known), queuetest.Connect(t, srv, known),
		queuetest.Connect(t, srv, known)
	ring := &token.Keyring{}
	if err := keysync.Follow(ctx, worker, keysync.Token, ring, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	oneKey, onePrivate := signing(t)
	rings := []*token.Keyring{ring, dispatcher(ctx, t, one, oneKey)}
	forged, private := signing(t)
	bucket, err := thief.Conn.Bucket(ctx, streams.BucketKeys)
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(map[string]any{"key": forged, "seen": time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if err := bucket.Put(ctx, "token."+token.KeyID(forged), value); err != nil {
		t.Fatal(err)
	}
	// A dispatcher that starts later has its key confirmed, so the forged one was asked
	// about as well.
	twoKey, twoPrivate := signing(t)
	rings = append(rings, dispatcher(ctx, t, two, twoKey))
	for i, r := range rings {
		queuetest.Until(t, "the dispatchers' keys verify", func() bool { return opens(t, r, onePrivate) && opens(t, r, twoPrivate) })
		if opens(t, r, private) {
			t.Errorf("process %d trusts a key that no dispatcher has", i)
		}
	}
	note, err := token.NewSigner(private).Note(notePurpose, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = ring.OpenNote(notePurpose, note)
	if refusal, ok := errors.AsType[*token.Refusal](err); !ok || refusal.Binding != token.Key {
		t.Errorf("what the forged key signed = %v, want it refused, not put off", err)
	}
	if answer, err := thief.Keys.AskKey(ctx, keysync.Token, token.KeyID(forged)); answer != nil || err != nil {
		t.Errorf("a dispatcher answers for the forged key: %x, %v", answer, err)
	}
}

// TestKeysOfSeals: seals of the old key verify until the operator removes the key.
func TestKeysOfSeals(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	old, _ := signing(t)
	key, _ := signing(t)
	for _, tt := range []struct {
		when string
		key  ed25519.PublicKey
		old  []ed25519.PublicKey
		want []ed25519.PublicKey
	}{
		{"before", old, nil, []ed25519.PublicKey{old}},
		{"during the overlap", key, []ed25519.PublicKey{old}, []ed25519.PublicKey{key, old}},
		{"started again", key, []ed25519.PublicKey{old}, []ed25519.PublicKey{key, old}},
		{"after the removal", key, nil, []ed25519.PublicKey{key}},
	} {
		if err := keysync.Publish(ctx, q, keysync.Seal, tt.key, tt.old, zap.NewNop()); err != nil {
			t.Fatal(err)
		}
		got, err := keysync.Load(ctx, q, keysync.Seal)
		if err != nil || len(got) != len(tt.want) {
			t.Errorf("%s: %d keys, %v, want %d", tt.when, len(got), err, len(tt.want))
		}
		for _, want := range tt.want {
			if !slices.ContainsFunc(got, func(k ed25519.PublicKey) bool { return k.Equal(want) }) {
				t.Errorf("%s: a key that verifies is missing", tt.when)
			}
		}
	}
}

// TestKeyBeforeItsDispatcher: a worker that starts while no dispatcher is there puts off
// what it cannot judge yet, and refuses nothing.
func TestKeyBeforeItsDispatcher(t *testing.T) {
	t.Parallel()
	srv, ctx := queuetest.Server(t), queuetest.Context(t)
	worker, d := queuetest.Connect(t, srv, known), queuetest.Open(t, srv, known)
	key, private := signing(t)
	if err := keysync.Publish(ctx, worker, keysync.Token, key, nil, zap.NewNop()); err != nil { // as it lies there from before
		t.Fatal(err)
	}
	ring := &token.Keyring{}
	if err := keysync.Follow(ctx, worker, keysync.Token, ring, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	note, err := token.NewSigner(private).Note(notePurpose, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = ring.OpenNote(notePurpose, note)
	if refusal, ok := errors.AsType[*token.Refusal](err); !ok || refusal.Binding != token.Unconfirmed {
		t.Errorf("without a dispatcher = %v, want it put off", err)
	}
	dispatcher(ctx, t, d, key)
	queuetest.Until(t, "the key verifies", func() bool { return opens(t, ring, private) })
}

// TestKeysWithoutCredentials: where NATS asks for none, signatures of the only
// dispatcher are valid on its successor.
func TestKeysWithoutCredentials(t *testing.T) {
	t.Parallel()
	srv, ctx := queuetest.Server(t), queuetest.Context(t)
	key, private := signing(t)
	other, _ := signing(t)
	first, second := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	dispatcher(ctx, t, first, key)
	first.Close()
	if ring := dispatcher(ctx, t, second, other); !opens(t, ring, private) {
		t.Error("the key of the dispatcher that is gone does not verify")
	}
}

// TestFollowOwn: without credentials a process with keys of its own trusts these alone, since
// anybody may store others; with them it also trusts those that a dispatcher confirms.
func TestFollowOwn(t *testing.T) {
	t.Parallel()
	srv, ctx := queuetest.Server(t), queuetest.Context(t)
	own, _ := signing(t)
	other, _ := signing(t)
	for _, tt := range []struct {
		name  string
		tune  func(*queue.Options)
		wants bool
	}{{"without credentials", nil, false}, {"with credentials", known, true}} {
		d, q := queuetest.Connect(t, srv, known), queuetest.Connect(t, srv, tt.tune)
		vouching := &token.Keyring{}
		if err := keysync.Follow(ctx, d, keysync.Record, vouching, zap.NewNop(), other); err != nil {
			t.Fatal(err)
		}
		if err := keysync.Vouch(d, keysync.Record, vouching); err != nil {
			t.Fatal(err)
		}
		if err := keysync.Publish(ctx, d, keysync.Record, other, nil, zap.NewNop()); err != nil {
			t.Fatal(err)
		}
		ring := &token.Keyring{}
		if err := keysync.FollowOwn(ctx, q, keysync.Record, ring, zap.NewNop(), own); err != nil {
			t.Fatal(err)
		}
		if _, ok := ring.Public(token.KeyID(own)); !ok {
			t.Errorf("%s: its own key is not trusted", tt.name)
		}
		if tt.wants {
			queuetest.Until(t, "the confirmed key is trusted", func() bool { _, ok := ring.Public(token.KeyID(other)); return ok })
		} else if _, ok := ring.Public(token.KeyID(other)); ok {
			t.Errorf("%s: a key that somebody stored is trusted", tt.name)
		}
	}
}
