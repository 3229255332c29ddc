package catalogsync

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/tool"
)

// Unregister removes those definitions that are still stored as given: a definition
// that was changed since belongs to another worker.
func Unregister(ctx context.Context, q *queue.Queue, defs []tool.Definition) error {
	if len(defs) == 0 {
		return nil
	}
	bucket, err := q.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		return err
	}
	return concurrently(ctx, len(defs), func(ctx context.Context, i int) error {
		value, err := json.Marshal(defs[i])
		if err != nil {
			return err
		}
		stored, err := bucket.Get(ctx, defs[i].Name)
		if err != nil || !bytes.Equal(stored, value) {
			return err
		}
		return bucket.Delete(ctx, defs[i].Name)
	})
}

// Prune removes the definitions of the pools for which gone is true: a worker with
// tools directories or MCP servers removes those of its own kind that no live worker
// has.
func Prune(ctx context.Context, q *queue.Queue, pools []string, gone func(def *tool.Definition) bool) error {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		return err
	}
	var old []string
	if err := bucket.Load(ctx, func(name string, value []byte) {
		var def tool.Definition
		if json.Unmarshal(value, &def) == nil && slices.Contains(pools, def.Pool) && gone(&def) {
			old = append(old, name)
		}
	}); err != nil {
		return err
	}
	return concurrently(ctx, len(old), func(ctx context.Context, i int) error { return bucket.Delete(ctx, old[i]) })
}
