package keysync

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity/token"
)

// Ring is the keys that a process trusts.
type Ring interface {
	Put(id string, key ed25519.PublicKey) error
	Remove(id string)
	// Expect tells that a key may be put soon.
	Expect(id string, soon bool)
	Public(id string) (ed25519.PublicKey, bool)
}

// Follow fills ring with the public keys of one purpose and follows changes, until
// ctx ends.
//
// The bucket only lists the keys: a process without write access to it may be able to
// forge entries through the NATS server. A key is added to the ring if a dispatcher
// confirms that it trusts the key, or if it is in own, the keys in this process's
// files. If NATS requires no credentials, a stored key is trusted: everybody may do
// everything, and signatures of a single dispatcher must remain valid when it dies.
func Follow(ctx context.Context, q *queue.Queue, purpose string, ring Ring, log *zap.Logger, own ...ed25519.PublicKey) error {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketKeys)
	if err != nil {
		return err
	}
	f := &follower{queue: q, purpose: purpose, ring: ring, log: log, open: map[string]ed25519.PublicKey{}, wake: make(chan struct{}, 1)}
	for _, key := range own {
		if err := ring.Put(token.KeyID(key), key); err != nil {
			return fmt.Errorf("signing key: %w", err)
		}
	}
	if err := bucket.Follow(ctx, f.change); err != nil {
		return err
	}
	f.ask(ctx)
	go f.run(ctx)
	return nil
}

// FollowOwn is [Follow] for a process that has keys of its own, and needs no others. Without
// credentials on NATS anybody may store a key there, so it trusts these alone.
func FollowOwn(ctx context.Context, q *queue.Queue, purpose string, ring Ring, log *zap.Logger, own ...ed25519.PublicKey) error {
	if !q.Conn.Anonymous() {
		return Follow(ctx, q, purpose, ring, log, own...)
	}
	for _, key := range own {
		if err := ring.Put(token.KeyID(key), key); err != nil {
			return fmt.Errorf("signing key: %w", err)
		}
	}
	return nil
}

// Vouch answers requests of other processes about the public keys that ring trusts.
func Vouch(q *queue.Queue, purpose string, ring Ring) error {
	return q.Keys.ServeKeys(purpose, func(id string) []byte {
		key, _ := ring.Public(id)
		return key
	})
}

// follower maintains a ring of keys.
type follower struct {
	queue   *queue.Queue
	purpose string
	ring    Ring
	log     *zap.Logger
	wake    chan struct{}

	mu   sync.Mutex
	open map[string]ed25519.PublicKey // keys that no dispatcher has confirmed yet
}

func (f *follower) change(name string, value []byte) {
	id, ok := strings.CutPrefix(name, f.purpose+".")
	if !ok {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, id)
	if value == nil {
		f.ring.Remove(id)
		return
	}
	var k publicKey
	if err := json.Unmarshal(value, &k); err != nil || len(k.Key) != ed25519.PublicKeySize || token.KeyID(k.Key) != id {
		f.log.Warn("published key not usable", zap.String("key", name), zap.Error(err))
		return
	}
	if _, known := f.ring.Public(id); known {
		return
	}
	if f.queue.Conn.Anonymous() {
		if err := f.ring.Put(id, k.Key); err != nil {
			f.log.Warn("published key not usable", zap.String("key", name), zap.Error(err))
		}
		return
	}
	f.open[id] = k.Key
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

const (
	// askAgain is the interval of requests to dispatchers about keys while no
	// dispatcher is there. Keys that no dispatcher trusts are requested less and less
	// often, down to askRarely.
	askAgain  = time.Second
	askRarely = 10 * time.Second
	// asksAtOnce bounds the keys per round: any process may have stored them.
	asksAtOnce = 8
)

func (f *follower) run(ctx context.Context) {
	every := askAgain
	for {
		pause := time.NewTimer(every)
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-f.wake:
			every = askAgain
		case <-pause.C:
		}
		pause.Stop()
		if f.ask(ctx) {
			every = min(2*every, askRarely)
		} else {
			every = askAgain
		}
	}
}

// ask requests the confirmation of some unconfirmed keys. It reports whether a
// dispatcher answered.
func (f *follower) ask(ctx context.Context) bool {
	f.mu.Lock()
	open := maps.Clone(f.open) // in random order, so that every key gets its turn
	f.mu.Unlock()
	var all sync.WaitGroup
	asked, there := 0, true
	for id, key := range open {
		if asked++; asked > asksAtOnce {
			break
		}
		all.Go(func() {
			if !f.confirm(ctx, id, key) {
				f.mu.Lock()
				there = false
				f.mu.Unlock()
			}
		})
	}
	all.Wait()
	return there
}

// confirm requests the confirmation of one key. It reports whether a dispatcher
// answered.
func (f *follower) confirm(ctx context.Context, id string, key ed25519.PublicKey) bool {
	answer, err := f.queue.Keys.AskKey(ctx, f.purpose, id)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, still := f.open[id]; !still {
		return err == nil // it was removed meanwhile
	}
	if !key.Equal(ed25519.PublicKey(answer)) {
		f.ring.Expect(id, err != nil)
		return err == nil
	}
	delete(f.open, id)
	if err := f.ring.Put(id, key); err != nil {
		f.log.Warn("published key not usable", zap.String("key", id), zap.Error(err))
	}
	return true
}
