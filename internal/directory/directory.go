// Package directory keeps the live catalogue on NATS: workers register the
// definitions of their tools, operators the tool sets of agents, and every
// process follows both in memory.
//
// It promises that what is registered outlives the workers: while all of a
// pool's workers are away its calls queue. It does not promise that two
// processes see a change at the same instant; the worker's view decides.
package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/tool"
)

// Register stores the definitions that are new or have changed, and no others,
// so that a worker which starts among its like writes nothing.
func Register(ctx context.Context, b *bus.Bus, defs []tool.Definition) error {
	bucket, err := b.Bucket(ctx, bus.BucketCatalog)
	if err != nil {
		return err
	}
	known := map[string][]byte{}
	if err := bucket.Load(ctx, func(key string, value []byte) { known[key] = value }); err != nil {
		return err
	}
	for _, def := range defs {
		value, err := json.Marshal(def)
		if err != nil {
			return fmt.Errorf("definition of %s: %w", def.Name, err)
		}
		if bytes.Equal(known[def.Name], value) {
			continue
		}
		if err := bucket.Put(ctx, def.Name, value); err != nil {
			return err
		}
	}
	return nil
}

// FollowTools fills cat with what is registered, now and as it changes, until
// ctx ends. It returns when all that is there now is in. A definition that
// cannot be used is logged and left out.
func FollowTools(ctx context.Context, b *bus.Bus, cat *catalog.Catalog, log *zap.Logger) error {
	bucket, err := b.Bucket(ctx, bus.BucketCatalog)
	if err != nil {
		return err
	}
	return bucket.Follow(ctx, func(name string, value []byte) {
		if value == nil {
			cat.Remove(name)
			return
		}
		var def tool.Definition
		err := json.Unmarshal(value, &def)
		switch {
		case err != nil:
		case def.Name != name:
			// The key is what a deletion will name.
			err = fmt.Errorf("the definition is of %q", def.Name)
		default:
			err = cat.Put(def)
		}
		if err != nil {
			log.Warn("registered tool not usable", zap.String("tool", name), zap.Error(err))
		}
	})
}

// FollowAgents fills agents with the tool sets there are, now and as they
// change, until ctx ends.
func FollowAgents(ctx context.Context, b *bus.Bus, agents *catalog.Agents, log *zap.Logger) error {
	bucket, err := b.Bucket(ctx, bus.BucketAgents)
	if err != nil {
		return err
	}
	return bucket.Follow(ctx, func(key string, value []byte) {
		tenant, agent, _ := strings.Cut(key, ".")
		if value == nil {
			agents.Remove(tenant, agent)
			return
		}
		rules, err := rulesOf(value)
		if err != nil {
			log.Warn("agent's tool set not readable; it may use no tool", zap.String("agent", key), zap.Error(err))
		}
		agents.Put(tenant, agent, rules)
	})
}
