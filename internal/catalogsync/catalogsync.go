// Package catalogsync synchronizes the live catalogue over NATS: workers register the
// definitions of their tools, operators the tool sets of agents, and every process
// follows both in memory.
//
// It promises that registrations survive the workers: while all of a pool's workers are
// away its calls queue. It does not promise that two processes see a change at the same
// moment; the worker's view decides.
package catalogsync

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/queue"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Register stores only the definitions that are new or have changed, so that a worker
// that starts among equal workers writes nothing.
func Register(ctx context.Context, q *queue.Queue, defs []tool.Definition) error {
	bucket, err := q.Conn.Bucket(ctx, queue.BucketCatalog)
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

// FollowTools fills cat with the registered tools and follows changes, until ctx ends.
// It returns when all current definitions are in cat. A definition that cannot be used
// is logged and left out.
func FollowTools(ctx context.Context, q *queue.Queue, cat *catalog.Catalog, log *zap.Logger) error {
	bucket, err := q.Conn.Bucket(ctx, queue.BucketCatalog)
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
			// The key is the name in a deletion.
			err = fmt.Errorf("the definition is of %q", def.Name)
		default:
			err = cat.Put(def)
		}
		if err != nil {
			log.Warn("registered tool not usable", zap.String("tool", name), zap.Error(err))
		}
	})
}

// FollowAgents fills agents with the stored tool sets and follows changes, until ctx
// ends.
func FollowAgents(ctx context.Context, q *queue.Queue, agents *catalog.Agents, log *zap.Logger) error {
	bucket, err := q.Conn.Bucket(ctx, queue.BucketAgents)
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

// ReadAgent returns the stored record of an agent, or nil.
func ReadAgent(ctx context.Context, q *queue.Queue, tenant, agent string) (*protocol.AgentRules, error) {
	bucket, err := q.Conn.Bucket(ctx, queue.BucketAgents)
	if err != nil {
		return nil, err
	}
	value, err := bucket.Get(ctx, tenant+"."+agent)
	if value == nil || err != nil {
		return nil, err
	}
	rules, err := rulesOf(value)
	rules = rules.Normal()
	return &rules, err
}
