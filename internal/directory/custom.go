package directory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/tool"
)

// FollowCustom fills cat with the tools that models wrote, each for its tenant,
// now and as they change, until ctx ends. Their code is left where it is.
func FollowCustom(ctx context.Context, b *bus.Bus, cat *catalog.Tenants, log *zap.Logger) error {
	bucket, err := b.Bucket(ctx, bus.BucketCustom)
	if err != nil {
		return err
	}
	return bucket.Follow(ctx, func(key string, value []byte) {
		tenant, name, _ := strings.Cut(key, ".")
		if value == nil {
			cat.Remove(catalog.Custom, tenant, name)
			return
		}
		var stored struct {
			Definition tool.Definition `json:"definition"`
		}
		err := json.Unmarshal(value, &stored)
		switch {
		case err != nil:
		case stored.Definition.Name != name:
			err = fmt.Errorf("the definition is of %q", stored.Definition.Name)
		default:
			err = cat.Put(catalog.Custom, tenant, stored.Definition)
		}
		if err != nil {
			log.Warn("custom tool not usable", zap.String("tool", key), zap.Error(err))
		}
	})
}

// loadErrorsLife is how long the load errors of a worker are believed that has
// not repeated them: it may be gone.
const loadErrorsLife = 2 * time.Minute

// loadErrorsAgain is how often a worker repeats them.
const loadErrorsAgain = loadErrorsLife / 4

// Reporter tells dispatchers what a worker could not load.
type Reporter struct {
	bucket *bus.Bucket
	worker string
	lists  chan []catalog.LoadError
}

// NewReporter reports for the worker of that id until ctx ends.
func NewReporter(ctx context.Context, b *bus.Bus, worker string, log *zap.Logger) (*Reporter, error) {
	bucket, err := b.Bucket(ctx, bus.BucketLoads)
	if err != nil {
		return nil, err
	}
	r := &Reporter{bucket: bucket, worker: worker, lists: make(chan []catalog.LoadError)}
	go r.repeat(ctx, log)
	return r, nil
}

// Report replaces what was reported before. It waits for nothing but ctx.
func (r *Reporter) Report(ctx context.Context, list []catalog.LoadError) {
	select {
	case r.lists <- list:
	case <-ctx.Done():
	}
}

func (r *Reporter) repeat(ctx context.Context, log *zap.Logger) {
	tick := time.NewTicker(loadErrorsAgain)
	defer tick.Stop()
	var now []catalog.LoadError
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

func (r *Reporter) write(ctx context.Context, list []catalog.LoadError, had bool) error {
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

// FollowLoadErrors fills cat with what workers could not load, until ctx ends.
// Those of a worker that does not repeat them are forgotten.
func FollowLoadErrors(ctx context.Context, b *bus.Bus, cat *catalog.Tenants, log *zap.Logger) error {
	bucket, err := b.Bucket(ctx, bus.BucketLoads)
	if err != nil {
		return err
	}
	forget := map[string]*time.Timer{} // by the one goroutine of Follow
	return bucket.Follow(ctx, func(worker string, value []byte) {
		if timer := forget[worker]; timer != nil {
			timer.Stop()
			delete(forget, worker)
		}
		var list []catalog.LoadError
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
