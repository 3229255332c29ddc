package catalogsync

import (
	"context"
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/store"
	"github.com/helve-dev/helve/protocol"
)

// FollowCustom fills cat with the tools that models wrote, each for its owner or, if it
// is shared, for its tenant, and follows changes until ctx ends. Their code is not
// loaded.
func FollowCustom(ctx context.Context, q *queue.Queue, cat *catalog.Tenants, log *zap.Logger) error {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketCustom)
	if err != nil {
		return err
	}
	owners := map[string]string{} // of keys without an owner; used by Follow's goroutine only
	return bucket.Follow(ctx, func(key string, value []byte) {
		if value == nil {
			dropCustom(cat, key, owners[key])
			delete(owners, key)
			return
		}
		e, place, err := store.Decode(key, value)
		switch {
		case err != nil:
		case place.Shared:
			err = cat.Put(catalog.Custom, place.Tenant, e.Definition)
		case e.Tool.Owner != "":
			owners[key] = e.Tool.Owner
			err = cat.PutOwn(place.Tenant, e.Tool.Owner, e.Definition)
		}
		if err != nil {
			log.Warn("custom tool not usable", zap.String("tool", key), zap.Error(err))
		}
	})
}

// dropCustom removes the tool that was stored under a key.
func dropCustom(cat *catalog.Tenants, key, owner string) {
	place, ok := store.ParsePlace(key)
	switch {
	case !ok:
	case place.Shared:
		cat.Remove(catalog.Custom, place.Tenant, place.Name)
	case owner != "":
		cat.RemoveOwn(place.Tenant, owner, place.Name)
	}
}

// loadErrorsLife is the time for which the load errors of a worker are shown if it does
// not repeat them: it may be gone.
const loadErrorsLife = 2 * time.Minute

// loadErrorsAgain is the interval at which a worker repeats them.
const loadErrorsAgain = loadErrorsLife / 4

// Reporter reports a worker's load errors to dispatchers.
type Reporter struct {
	bucket *natsio.Bucket
	worker string
	lists  chan []protocol.LoadError
}

// NewReporter returns a reporter for the worker with that ID, which works until ctx
// ends.
func NewReporter(ctx context.Context, q *queue.Queue, worker string, log *zap.Logger) (*Reporter, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketLoads)
	if err != nil {
		return nil, err
	}
	r := &Reporter{bucket: bucket, worker: worker, lists: make(chan []protocol.LoadError)}
	go r.repeat(ctx, log)
	return r, nil
}

// Report replaces the reported errors. It does not block.
func (r *Reporter) Report(ctx context.Context, list []protocol.LoadError) {
	select {
	case r.lists <- list:
	case <-ctx.Done():
	}
}

func (r *Reporter) repeat(ctx context.Context, log *zap.Logger) {
	tick := time.NewTicker(loadErrorsAgain)
	defer tick.Stop()
	var now []protocol.LoadError
	for {
		had := len(now) > 0
		select {
		case <-ctx.Done():
			return
		case now = <-r.lists:
		case <-tick.C:
		}
		if err := r.write(ctx, now, had); err != nil && ctx.Err() == nil {
			log.Warn("load errors not reported; trying again later", zap.Error(err))
		}
	}
}

func (r *Reporter) write(ctx context.Context, list []protocol.LoadError, had bool) error {
	switch {
	case len(list) > 0:
		value, err := json.Marshal(list)
		if err != nil {
			return err
		}
		return r.bucket.Put(ctx, r.worker, value)
	case had:
		return r.bucket.Delete(ctx, r.worker)
	}
	return nil
}

// FollowLoadErrors fills cat with the load errors of workers, until ctx ends. Those of
// a worker that does not repeat them are removed.
func FollowLoadErrors(ctx context.Context, q *queue.Queue, cat *catalog.Tenants, log *zap.Logger) error {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketLoads)
	if err != nil {
		return err
	}
	forget := map[string]*time.Timer{} // used by Follow's goroutine only
	return bucket.Follow(ctx, func(worker string, value []byte) {
		if timer := forget[worker]; timer != nil {
			timer.Stop()
			delete(forget, worker)
		}
		var list []protocol.LoadError
		if value != nil {
			if err := json.Unmarshal(value, &list); err != nil {
				log.Warn("load errors not readable", zap.String("worker", worker), zap.Error(err))
				return
			}
			forget[worker] = time.AfterFunc(loadErrorsLife, func() { cat.SetLoadErrors(worker, nil) })
		}
		cat.SetLoadErrors(worker, list)
	})
}
