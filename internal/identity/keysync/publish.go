// Package keysync distributes the public keys of dispatchers over NATS: each dispatcher
// publishes its own, and every process follows them in a keyring.
//
// It promises that a process trusts a key only if a dispatcher confirmed it, or if the
// key is in the process's own files; without credentials on NATS every stored key is
// trusted. It does not promise that a removed key is forgotten everywhere at the same
// moment.
package keysync

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity/token"
)

// Purposes of keys. A key signs for one purpose only.
const (
	Token = "token"
	Seal  = "seal"
	// Record is the purpose of the keys to which writers of audit records prove themselves.
	Record = "record"
)

// publicKey is a stored public key, for verification.
type publicKey struct {
	Key ed25519.PublicKey `json:"key"`
	// Seen is the last time a dispatcher with the private key repeated it.
	Seen time.Time `json:"seen"`
	// Old are the IDs of older keys of the dispatcher that still verify: a key that is
	// no longer in the list was removed by the operator.
	Old []string `json:"old,omitempty"`
}

// keyLife is the time for which the key of a dispatcher that is gone verifies tokens, longer than
// the validity of any token, and for which writers prove themselves to it.
const keyLife = 48 * time.Hour

// keyAgain is the interval at which a dispatcher repeats its keys.
const keyAgain = time.Hour

// Publish publishes the public keys of a dispatcher to every process: the signing
// key and older keys that still verify. They remain published until ctx ends and for
// [keyLife] after it; an older key that the operator has removed since the last start
// is removed immediately. Keys of seals remain, since seals do.
func Publish(ctx context.Context, q *queue.Queue, purpose string, key ed25519.PublicKey, old []ed25519.PublicKey, log *zap.Logger) error {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketKeys)
	if err != nil {
		return err
	}
	p := publisher{bucket, purpose, key, old}
	if err := p.removed(ctx); err != nil {
		return err
	}
	if err := p.publish(ctx); err != nil {
		return err
	}
	go func() {
		tick := time.NewTicker(keyAgain)
		defer tick.Stop()
		remade := natsio.Remade(q.Conn, natsio.BucketStream(streams.BucketKeys))
		for {
			select {
			case <-ctx.Done():
				return
			case <-remade:
				remade = natsio.Remade(q.Conn, natsio.BucketStream(streams.BucketKeys))
				if err := p.publish(ctx); err != nil {
					log.Error("signing key not published in the bucket that was made again", zap.Error(err))
				}
			case now := <-tick.C:
				if err := p.publish(ctx); err != nil {
					log.Warn("signing key not published again; trying later", zap.Error(err))
				}
				removeOld(ctx, bucket, now, log)
			}
		}
	}()
	return nil
}

// publisher is the keys of one purpose of a dispatcher.
type publisher struct {
	bucket  *natsio.Bucket
	purpose string
	key     ed25519.PublicKey
	old     []ed25519.PublicKey
}

func (p publisher) name(id string) string { return p.purpose + "." + id }

func (p publisher) publish(ctx context.Context) error {
	main := publicKey{Key: p.key, Seen: time.Now().UTC()}
	for _, key := range p.old {
		main.Old = append(main.Old, token.KeyID(key))
		if err := p.put(ctx, publicKey{Key: key, Seen: main.Seen}); err != nil {
			return err
		}
	}
	return p.put(ctx, main)
}

func (p publisher) put(ctx context.Context, k publicKey) error {
	value, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return p.bucket.Put(ctx, p.name(token.KeyID(k.Key)), value)
}

// removed removes the keys that were published with this key before and that the
// dispatcher no longer has.
func (p publisher) removed(ctx context.Context) error {
	var before publicKey
	err := p.bucket.LoadBelow(ctx, p.purpose, func(name string, value []byte) {
		if name == p.name(token.KeyID(p.key)) && json.Unmarshal(value, &before) != nil {
			before = publicKey{}
		}
	})
	if err != nil {
		return err
	}
	for _, id := range before.Old {
		if !slices.ContainsFunc(p.old, func(key ed25519.PublicKey) bool { return token.KeyID(key) == id }) {
			if err := p.bucket.Delete(ctx, p.name(id)); err != nil {
				return err
			}
		}
	}
	return nil
}

func removeOld(ctx context.Context, bucket *natsio.Bucket, now time.Time, log *zap.Logger) {
	old := func(name string, value []byte) {
		var k publicKey
		if json.Unmarshal(value, &k) == nil && now.Sub(k.Seen) > keyLife {
			if err := bucket.Delete(ctx, name); err != nil {
				log.Warn("old key not removed", zap.String("key", name), zap.Error(err))
			}
		}
	}
	err := errors.Join(bucket.LoadBelow(ctx, Token, old), bucket.LoadBelow(ctx, Record, old))
	if err != nil && ctx.Err() == nil {
		log.Warn("keys not readable", zap.Error(err))
	}
}

// Load returns the public keys of one purpose.
func Load(ctx context.Context, q *queue.Queue, purpose string) ([]ed25519.PublicKey, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketKeys)
	if err != nil {
		return nil, err
	}
	var keys []ed25519.PublicKey
	var broken error
	err = bucket.LoadBelow(ctx, purpose, func(name string, value []byte) {
		var k publicKey
		if err := json.Unmarshal(value, &k); err != nil || len(k.Key) != ed25519.PublicKeySize {
			broken = fmt.Errorf("published key %s is not usable", name)
			return
		}
		keys = append(keys, k.Key)
	})
	if err == nil && len(keys) == 0 {
		err = broken
	}
	return keys, err
}
