package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Bucket is a key-value bucket whose whole content each process follows.
type Bucket struct {
	kv  jetstream.KeyValue
	bus *Bus
}

// Bucket opens one of the buckets Prepare made.
func (b *Bus) Bucket(ctx context.Context, name string) (*Bucket, error) {
	kv, err := b.js.KeyValue(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%w: bucket %s: %w", ErrUnavailable, name, err)
	}
	return &Bucket{kv: kv, bus: b}, nil
}

// Put stores a value.
func (k *Bucket) Put(ctx context.Context, key string, value []byte) error {
	if _, err := k.kv.Put(ctx, key, value); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Create stores a value under a key that has none. ErrExists means that it has.
func (k *Bucket) Create(ctx context.Context, key string, value []byte) error {
	_, err := k.kv.Create(ctx, key, value)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return ErrExists
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Replace stores a value in place of old, as the key's value was read. ErrExists
// means that somebody else has changed it since.
func (k *Bucket) Replace(ctx context.Context, key string, old, value []byte) error {
	e, err := k.kv.Get(ctx, key)
	if err == nil && !bytes.Equal(e.Value(), old) || errors.Is(err, jetstream.ErrKeyNotFound) {
		return ErrExists
	}
	if err == nil {
		_, err = k.kv.Update(ctx, key, value, e.Revision())
	}
	if api, ok := errors.AsType[*jetstream.APIError](err); ok && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		return ErrExists
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Get returns the value of a key, or nil if there is none. It is what was last
// acknowledged, also in a cluster, where the client library would take the answer
// of any replica.
func (k *Bucket) Get(ctx context.Context, key string) ([]byte, error) {
	name := k.kv.Bucket()
	msg, err := k.bus.last(ctx, "KV_"+name, "$KV."+name+"."+key)
	switch {
	case errors.Is(err, errNoRecord):
		return nil, nil
	case err != nil:
		return nil, err
	case msg.Header.Get("KV-Operation") != "", msg.Header.Get(jetstream.MarkerReasonHeader) != "": // deleted, purged or expired
		return nil, nil
	}
	return msg.Data, nil
}

// Delete removes a key.
func (k *Bucket) Delete(ctx context.Context, key string) error {
	if err := k.kv.Delete(ctx, key); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Follow calls change for every key there is and then for each change, on one
// goroutine, until ctx ends; a nil value means deleted. It returns when all
// that was there at the start has been told.
func (k *Bucket) Follow(ctx context.Context, change func(key string, value []byte)) error {
	watch, err := k.kv.WatchAll(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	ready := make(chan struct{})
	go func() {
		defer func() { _ = watch.Stop() }()
		loaded := false
		for {
			select {
			case <-ctx.Done():
				return
			case e, ok := <-watch.Updates():
				switch {
				case !ok:
					return
				case e != nil && e.Operation() == jetstream.KeyValuePut:
					change(e.Key(), e.Value())
				case e != nil:
					change(e.Key(), nil)
				case !loaded:
					loaded = true
					close(ready)
				}
			}
		}
	}()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Load calls have for every key there is, and returns when it has.
func (k *Bucket) Load(ctx context.Context, have func(key string, value []byte)) error {
	return k.LoadBelow(ctx, "", have)
}

// LoadBelow is Load for the keys that begin with prefix and a dot.
func (k *Bucket) LoadBelow(ctx context.Context, prefix string, have func(key string, value []byte)) error {
	keys := ">"
	if prefix != "" {
		keys = prefix + ".>"
	}
	watch, err := k.kv.Watch(ctx, keys, jetstream.IgnoreDeletes())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() { _ = watch.Stop() }()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case e, ok := <-watch.Updates():
			if !ok {
				return fmt.Errorf("%w: the watch ended", ErrUnavailable)
			}
			if e == nil {
				return nil
			}
			have(e.Key(), e.Value())
		}
	}
}
