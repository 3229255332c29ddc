package catalogsync

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
)

// AgentStore stores the tool sets of agents. It reads from the store, so that every
// dispatcher answers alike, and its own writes apply to this process's calls before it
// returns.
type AgentStore struct {
	bucket *natsio.Bucket
	agents *catalog.Agents
}

// NewAgentStore returns the store over agents, which FollowAgents fills.
func NewAgentStore(ctx context.Context, q *queue.Queue, agents *catalog.Agents) (*AgentStore, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketAgents)
	if err != nil {
		return nil, err
	}
	return &AgentStore{bucket: bucket, agents: agents}, nil
}

// List returns a tenant's records, sorted by name.
func (s *AgentStore) List(ctx context.Context, tenant string) ([]protocol.Agent, error) {
	var stored catalog.Agents
	err := s.bucket.Load(ctx, func(key string, value []byte) {
		if of, agent, _ := strings.Cut(key, "."); of == tenant {
			rules, _ := rulesOf(value)
			stored.Put(tenant, agent, rules)
		}
	})
	return stored.List(tenant), err
}

// Get returns the record of an agent and whether it exists.
func (s *AgentStore) Get(ctx context.Context, tenant, agent string) (protocol.Agent, bool, error) {
	value, err := s.bucket.Get(ctx, tenant+"."+agent)
	if value == nil || err != nil {
		return protocol.Agent{}, false, err
	}
	rules, _ := rulesOf(value)
	return rules.Normal().Of(agent), true, nil
}

// Put stores a record and replaces an existing one.
func (s *AgentStore) Put(ctx context.Context, tenant string, record protocol.Agent) error {
	value, err := json.Marshal(record.Rules())
	if err != nil {
		return err
	}
	if err := s.bucket.Put(ctx, tenant+"."+record.Name, value); err != nil {
		return err
	}
	s.agents.Put(tenant, record.Name, record.Rules())
	return nil
}

// Delete removes a record and reports whether it existed.
func (s *AgentStore) Delete(ctx context.Context, tenant, agent string) (bool, error) {
	_, had, err := s.Get(ctx, tenant, agent)
	if err != nil {
		return false, err
	}
	if err := s.bucket.Delete(ctx, tenant+"."+agent); err != nil {
		return had, err
	}
	s.agents.Remove(tenant, agent)
	return had, nil
}

// rulesOf parses a stored record. An unreadable record allows nothing: it must not
// become the default set.
func rulesOf(value []byte) (protocol.AgentRules, error) {
	var rules protocol.AgentRules
	if err := json.Unmarshal(value, &rules); err != nil {
		return protocol.AgentRules{}, err
	}
	return rules, nil
}
