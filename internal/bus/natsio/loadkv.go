package natsio

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// loadPasses bounds how often a bucket is read for one [Bucket.Load].
const loadPasses = 10

// loadAll calls have once for every key that has a value. A key that is replaced while the
// bucket is read moves behind what the server has counted, and may not be sent; so what was
// sent is compared with the keys there are, and read again if one is missing.
func (k *Bucket) loadAll(ctx context.Context, keys string, have func(key string, value []byte, revision uint64)) error {
	seen := map[string]struct{}{}
	for range loadPasses {
		if err := k.pass(ctx, keys, func(e jetstream.KeyValueEntry) {
			if _, again := seen[e.Key()]; again {
				return
			}
			seen[e.Key()] = struct{}{}
			if e.Operation() == jetstream.KeyValuePut {
				have(e.Key(), e.Value(), e.Revision())
			}
		}); err != nil {
			return err
		}
		missing, err := k.missing(ctx, keys, seen)
		if err != nil || !missing {
			return err
		}
	}
	return fmt.Errorf("%w: the keys of %s change faster than they can be read", ErrUnavailable, k.kv.Bucket())
}

// pass reads a bucket once.
func (k *Bucket) pass(ctx context.Context, keys string, each func(jetstream.KeyValueEntry)) error {
	watch, err := k.kv.Watch(ctx, keys)
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
			each(e)
		}
	}
}

// missing reports whether there is a key that was not seen.
func (k *Bucket) missing(ctx context.Context, keys string, seen map[string]struct{}) (bool, error) {
	prefix := "$KV." + k.kv.Bucket() + "."
	stream, err := k.conn.js.Stream(ctx, BucketStream(k.kv.Bucket()))
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(prefix+keys))
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	for subject := range info.State.Subjects {
		if _, ok := seen[subject[len(prefix):]]; !ok {
			return true, nil
		}
	}
	return false, nil
}
