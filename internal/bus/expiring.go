package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// markerTTL is how long a bucket whose keys expire remembers that one did; with
// any, the server takes times for single keys.
const markerTTL = time.Minute

// PutFor stores a value that is forgotten after ttl, at least a second, in a
// bucket whose keys expire.
func (k *Bucket) PutFor(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	// The key-value client gives a time to new keys only; the header does it for all.
	msg := &nats.Msg{Subject: "$KV." + k.kv.Bucket() + "." + key, Data: value}
	if _, err := k.bus.js.PublishMsg(ctx, msg, jetstream.WithMsgTTL(ttl)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// CreateFor is PutFor for a key that has no value; false means that it has one.
func (k *Bucket) CreateFor(ctx context.Context, key string, value []byte, ttl time.Duration) (bool, error) {
	_, err := k.kv.Create(ctx, key, value, jetstream.KeyTTL(ttl))
	if errors.Is(err, jetstream.ErrKeyExists) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return true, nil
}

// Forget removes a key and, unlike Delete, leaves nothing of it for long.
func (k *Bucket) Forget(ctx context.Context, key string) error {
	if err := k.kv.Purge(ctx, key, jetstream.PurgeTTL(markerTTL)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Keys returns the keys that fit pattern, in which * is any one word, in no
// order. It reads no values.
func (k *Bucket) Keys(ctx context.Context, pattern string) ([]string, error) {
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
