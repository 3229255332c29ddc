package natsio

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// markerTTL is the time a bucket whose keys expire keeps the markers of expired keys. The
// server accepts times for single keys only in a bucket with such a time.
const markerTTL = time.Minute

// PutFor stores a value that is forgotten after ttl, at least a second, in a
// bucket whose keys expire.
func (k *Bucket) PutFor(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	// The key-value client gives a time to new keys only; the header does it for all.
	msg := &nats.Msg{Subject: "$KV." + k.kv.Bucket() + "." + key, Data: value}
	if _, err := k.conn.js.PublishMsg(ctx, msg, jetstream.WithMsgTTL(ttl)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Forget removes a key and, unlike Delete, leaves nothing of it for long.
func (k *Bucket) Forget(ctx context.Context, key string) error {
	if err := k.kv.Purge(ctx, key, jetstream.PurgeTTL(markerTTL)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// ForgetAt is Forget for a key that still has the revision. It reports whether it did.
func (k *Bucket) ForgetAt(ctx context.Context, key string, revision uint64) (bool, error) {
	err := k.kv.Purge(ctx, key, jetstream.LastRevision(revision), jetstream.PurgeTTL(markerTTL))
	if WrongSequence(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return true, nil
}

// Keys returns the keys that fit pattern, in which * is any one word, in no
// order. It reads no values.
func (k *Bucket) Keys(ctx context.Context, pattern string) ([]string, error) {
	if k.conn.Apart() {
		var keys []string
		_, err := k.keys(ctx, pattern, 1, func(key string, value []byte, _ uint64) {
			if value != nil {
				keys = append(keys, key)
			}
		})
		return keys, err
	}
	watch, err := k.kv.Watch(ctx, pattern, jetstream.IgnoreDeletes(), jetstream.MetaOnly())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() { _ = watch.Stop() }()
	var keys []string
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case e, ok := <-watch.Updates():
			switch {
			case !ok:
				return nil, fmt.Errorf("%w: the watch ended", ErrUnavailable)
			case e == nil:
				return keys, nil
			}
			keys = append(keys, e.Key())
		}
	}
}
