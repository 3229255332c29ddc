package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/tool"
)

// Unregister removes those definitions that are still stored as given: one that
// somebody has changed since is theirs.
func Unregister(ctx context.Context, b *bus.Bus, defs []tool.Definition) error {
	if len(defs) == 0 {
		return nil
	}
	bucket, err := b.Bucket(ctx, bus.BucketCatalog)
	if err != nil {
		return err
	}
	for _, def := range defs {
		value, err := json.Marshal(def)
		if err != nil {
			return err
		}
		stored, err := bucket.Get(ctx, def.Name)
		if err != nil {
			return err
		}
		if !bytes.Equal(stored, value) {
			continue
		}
		if err := bucket.Delete(ctx, def.Name); err != nil {
			return err
		}
	}
	return nil
}

// Prune removes the definitions of the pools that gone reports: a worker with tools
// directories or MCP servers says what there is, since all workers of a pool must have
// the same tools.
func Prune(ctx context.Context, b *bus.Bus, pools []string, gone func(def *tool.Definition) bool) error {
	bucket, err := b.Bucket(ctx, bus.BucketCatalog)
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
	for _, name := range old {
		if err := bucket.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
