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
	"golang.org/x/sync/errgroup"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Register stores only the definitions that are new or have changed, so that a worker
// that starts among equal workers writes nothing.
func Register(ctx context.Context, q *queue.Queue, defs []tool.Definition) error {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		return err
	}
	known := map[string][]byte{}
	if err := bucket.Load(ctx, func(key string, value []byte) { known[key] = value }); err != nil {
		return err
	}
	return concurrently(ctx, len(defs), func(ctx context.Context, i int) error {
		value, err := json.Marshal(defs[i])
		if err != nil {
			return fmt.Errorf("definition of %s: %w", defs[i].Name, err)
		}
		if bytes.Equal(known[defs[i].Name], value) {
			return nil
		}
		return bucket.Put(ctx, defs[i].Name, value)
	})
}

// writers is the number of definitions that are written concurrently: a document may have
// thousands, and each waits for its answer.
const writers = 16

// concurrently calls do for each number below n, until one fails.
func concurrently(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	for i := range n {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return do(ctx, i)
		})
	}
	return g.Wait()
}

// FollowAgents fills agents with the stored tool sets and follows changes, until ctx
// ends.
func FollowAgents(ctx context.Context, q *queue.Queue, agents *catalog.Agents, log *zap.Logger) error {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketAgents)
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
	bucket, err := q.Conn.Bucket(ctx, streams.BucketAgents)
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
