package natsio

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Bucket is a key-value bucket whose whole content each process follows.
type Bucket struct {
	kv   jetstream.KeyValue
	conn *Conn
}

// ErrNoBucket means that there is no bucket of a name.
var ErrNoBucket = errors.New("no such bucket")

// Bucket opens a bucket. The error is [ErrNoBucket] if nothing has made it.
func (c *Conn) Bucket(ctx context.Context, name string) (*Bucket, error) {
	kv, err := c.js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, fmt.Errorf("%w: %w: %s", ErrUnavailable, ErrNoBucket, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: bucket %s: %w", ErrUnavailable, name, err)
	}
	return &Bucket{kv: kv, conn: c}, nil
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
	if WrongSequence(err) {
		return ErrExists
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Get returns the value of a key, or nil if there is none. The value is
// the last that was acknowledged, also in a cluster, where the client library would take
// the answer of any replica.
func (k *Bucket) Get(ctx context.Context, key string) ([]byte, error) {
	name := k.kv.Bucket()
	msg, err := k.conn.Last(ctx, "KV_"+name, "$KV."+name+"."+key)
	switch {
	case errors.Is(err, ErrNotStored):
		return nil, nil
	case err != nil:
		return nil, err
	case msg.Header.Get("KV-Operation") != "", msg.Header.Get(jetstream.MarkerReasonHeader) != "": // deleted, purged or expired
		return nil, nil
	}
	return msg.Data, nil
}

// Delete removes a key with its history.
func (k *Bucket) Delete(ctx context.Context, key string) error {
	if err := k.kv.Purge(ctx, key); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
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
	return k.load(ctx, keys, func(key string, value []byte, _ uint64) { have(key, value) })
}

// LoadRevisions is [Bucket.Load] with the revision of each value.
func (k *Bucket) LoadRevisions(ctx context.Context, have func(key string, value []byte, revision uint64)) error {
	return k.load(ctx, ">", have)
}

func (k *Bucket) load(ctx context.Context, keys string, have func(key string, value []byte, revision uint64)) error {
	if k.conn.Apart() {
		_, err := k.keys(ctx, keys, 1, func(key string, value []byte, revision uint64) {
			if value != nil {
				have(key, value, revision)
			}
		})
		return err
	}
	return k.loadAll(ctx, keys, have)
}

// DeleteIf removes a key whose value is still as it was read, and reports whether it did.
func (k *Bucket) DeleteIf(ctx context.Context, key string, old []byte) (bool, error) {
	e, err := k.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && !bytes.Equal(e.Value(), old) {
		return false, nil
	}
	if err == nil {
		err = k.kv.Delete(ctx, key, jetstream.LastRevision(e.Revision()))
	}
	if WrongSequence(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return true, nil
}
