package directory

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
)

// Purposes of a key. A key signs for one of them only.
const (
	KeyToken = "token"
	KeySeal  = "seal"
)

// publicKey is a key as it is stored, for whoever verifies.
type publicKey struct {
	Key ed25519.PublicKey `json:"key"`
	// Seen is when a dispatcher that has the private key last said so.
	Seen time.Time `json:"seen"`
}

// keyLife is how long the key of a dispatcher that is gone verifies tokens:
// longer than any token holds.
const keyLife = 48 * time.Hour

// keyAgain is how often a dispatcher says that it is there.
const keyAgain = time.Hour

// PublishKey makes a public key known to every process, and keeps it known until
// ctx ends. Keys of tokens that nobody has signed with for long are removed;
// those of seals stay, since seals do.
func PublishKey(ctx context.Context, b *bus.Bus, purpose, id string, key ed25519.PublicKey, log *zap.Logger) error {
	bucket, err := b.Bucket(ctx, bus.BucketKeys)
	if err != nil {
		return err
	}
	publish := func() error {
		value, err := json.Marshal(publicKey{Key: key, Seen: time.Now().UTC()})
		if err != nil {
			return err
		}
		return bucket.Put(ctx, purpose+"."+id, value)
	}
	if err := publish(); err != nil {
		return err
	}
	go func() {
		tick := time.NewTicker(keyAgain)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				if err := publish(); err != nil {
					log.Warn("signing key not published again; trying later", zap.Error(err))
				}
				removeOld(ctx, bucket, now, log)
			}
		}
	}()
	return nil
}

func removeOld(ctx context.Context, bucket *bus.Bucket, now time.Time, log *zap.Logger) {
	err := bucket.LoadBelow(ctx, KeyToken, func(name string, value []byte) {
		var k publicKey
		if json.Unmarshal(value, &k) == nil && now.Sub(k.Seen) > keyLife {
			if err := bucket.Delete(ctx, name); err != nil {
				log.Warn("old key not removed", zap.String("key", name), zap.Error(err))
			}
		}
	})
	if err != nil && ctx.Err() == nil {
		log.Warn("keys not readable", zap.Error(err))
	}
}

// Keyring takes keys in and out.
type Keyring interface {
	Put(id string, key ed25519.PublicKey) error
	Remove(id string)
}

// FollowKeys fills ring with the keys of one purpose, now and as they change,
// until ctx ends.
func FollowKeys(ctx context.Context, b *bus.Bus, purpose string, ring Keyring, log *zap.Logger) error {
	bucket, err := b.Bucket(ctx, bus.BucketKeys)
	if err != nil {
		return err
	}
	return bucket.Follow(ctx, func(name string, value []byte) {
		id, ok := strings.CutPrefix(name, purpose+".")
		if !ok {
			return
		}
		if value == nil {
			ring.Remove(id)
			return
		}
		var k publicKey
		err := json.Unmarshal(value, &k)
		if err == nil {
			err = ring.Put(id, k.Key)
		}
		if err != nil {
			log.Warn("published key not usable", zap.String("key", name), zap.Error(err))
		}
	})
}

// Keys returns the public keys of one purpose.
func Keys(ctx context.Context, b *bus.Bus, purpose string) ([]ed25519.PublicKey, error) {
	bucket, err := b.Bucket(ctx, bus.BucketKeys)
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
