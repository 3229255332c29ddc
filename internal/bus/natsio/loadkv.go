package natsio

import (
	"context"
	"fmt"
	"maps"

	"github.com/nats-io/nats.go/jetstream"
)

// loadPasses bounds how often a bucket is read for one [Bucket.Load].
const loadPasses = 10

// loadAll calls have once for every key that has a value. A key that is replaced while the
// bucket is read moves behind what the server has counted, and may not be sent; so what was
// sent is compared with the keys there are, and read again if one is missing. Keys that appear
// after the first pass are not waited for: many processes that start write new ones for long.
func (k *Bucket) loadAll(ctx context.Context, keys string, have func(key string, value []byte, revision uint64)) error {
	seen := map[string]struct{}{}
	var missing map[string]struct{}
	for n := range loadPasses {
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
		there, err := k.stored(ctx, keys)
		if err != nil {
			return err
		}
		if n == 0 {
			missing = there
		}
		maps.DeleteFunc(missing, func(key string, _ struct{}) bool {
			_, told := seen[key]
			_, stays := there[key]
			return told || !stays
		})
		if len(missing) == 0 {
			return nil
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

// stored returns the keys there are, those with a mark of deletion included.
func (k *Bucket) stored(ctx context.Context, keys string) (map[string]struct{}, error) {
	prefix := "$KV." + k.kv.Bucket() + "."
	stream, err := k.conn.js.Stream(ctx, BucketStream(k.kv.Bucket()))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(prefix+keys))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	there := make(map[string]struct{}, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		there[subject[len(prefix):]] = struct{}{}
	}
	return there, nil
}
