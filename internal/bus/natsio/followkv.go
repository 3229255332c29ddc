package natsio

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// Follow calls change for every key there is and then for each change, on one
// goroutine, until ctx ends; a nil value means deleted. It returns when change was called
// for all keys that were there at the start.
//
// If the bucket is deleted, change is not called until the bucket is there again: then
// once more for every key it has, and with nil for the keys that it no longer has.
func (k *Bucket) Follow(ctx context.Context, change func(key string, value []byte)) error {
	return k.FollowRevisions(ctx, func(key string, value []byte, _ uint64) { change(key, value) })
}

// FollowRevisions is [Bucket.Follow] with the revision of each value.
func (k *Bucket) FollowRevisions(ctx context.Context, change func(key string, value []byte, revision uint64)) error {
	if k.conn.Apart() {
		return k.poll(ctx, change)
	}
	f := bucketFollower{Bucket: k, change: change, known: map[string]struct{}{}}
	watch, remade, err := f.watch(ctx)
	if err != nil {
		return err
	}
	ready := make(chan struct{})
	go func() {
		loaded := sync.OnceFunc(func() { close(ready) })
		for watch != nil {
			f.session(ctx, watch, remade, loaded)
			watch, remade = f.again(ctx)
		}
	}()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// bucketFollower follows one bucket for [Bucket.Follow].
type bucketFollower struct {
	*Bucket
	change func(key string, value []byte, revision uint64)
	known  map[string]struct{} // the keys that change was called for with a value
}

func (f *bucketFollower) watch(ctx context.Context) (jetstream.KeyWatcher, <-chan struct{}, error) {
	remade := Remade(f.conn, BucketStream(f.kv.Bucket()))
	watch, err := f.kv.WatchAll(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return watch, remade, nil
}

// again watches once more, as soon as the bucket is there; nil when ctx has ended.
func (f *bucketFollower) again(ctx context.Context) (jetstream.KeyWatcher, <-chan struct{}) {
	for warned := false; ctx.Err() == nil; {
		watch, remade, err := f.watch(ctx)
		if err == nil {
			return watch, remade
		}
		if !warned && ctx.Err() == nil {
			f.conn.log.Warn("bucket not followed; trying again", zap.String("bucket", f.kv.Bucket()), zap.Error(err))
			warned = true
		}
		Pause(ctx, followAgain)
	}
	return nil, nil
}

// followAgain is the pause between attempts to follow a bucket or a stream again.
const followAgain = 500 * time.Millisecond

// session passes on the entries of one watch until it ends or the bucket was made again.
func (f *bucketFollower) session(ctx context.Context, watch jetstream.KeyWatcher, remade <-chan struct{}, loaded func()) {
	defer func() { _ = watch.Stop() }()
	missing, initial := maps.Clone(f.known), true
	for {
		select {
		case <-ctx.Done():
			return
		case <-remade:
			return
		case e, ok := <-watch.Updates():
			switch {
			case !ok:
				return
			case e != nil && e.Operation() == jetstream.KeyValuePut:
				delete(missing, e.Key())
				f.known[e.Key()] = struct{}{}
				f.change(e.Key(), e.Value(), e.Revision())
			case e != nil:
				delete(f.known, e.Key())
				delete(missing, e.Key())
				f.change(e.Key(), nil, e.Revision())
			case initial:
				initial = false
				for key := range missing {
					delete(f.known, key)
					f.change(key, nil, 0)
				}
				loaded()
			}
		}
	}
}
