package directory

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
)

// AgentStore keeps the tool sets of agents. It reads what is stored, so that
// every dispatcher answers alike, and its own writes hold for this process's
// calls before it returns.
type AgentStore struct {
	bucket *bus.Bucket
	agents *catalog.Agents
}

// NewAgentStore returns the store over agents, which FollowAgents fills.
func NewAgentStore(ctx context.Context, b *bus.Bus, agents *catalog.Agents) (*AgentStore, error) {
	bucket, err := b.Bucket(ctx, bus.BucketAgents)
	if err != nil {
		return nil, err
	}
	return &AgentStore{bucket: bucket, agents: agents}, nil
}

// List returns a tenant's records, by name.
func (s *AgentStore) List(ctx context.Context, tenant string) ([]catalog.Agent, error) {
	var stored catalog.Agents
	err := s.bucket.Load(ctx, func(key string, value []byte) {
		if of, agent, _ := strings.Cut(key, "."); of == tenant {
			rules, _ := rulesOf(value)
			stored.Put(tenant, agent, rules)
		}
	})
	return stored.List(tenant), err
}

// Get returns the record of an agent and whether there is one.
func (s *AgentStore) Get(ctx context.Context, tenant, agent string) (catalog.Agent, bool, error) {
	value, err := s.bucket.Get(ctx, tenant+"."+agent)
	if value == nil || err != nil {
		return catalog.Agent{}, false, err
	}
	rules, _ := rulesOf(value)
	return catalog.Agent{Name: agent, AgentRules: rules.Normal()}, true, nil
}

// Put keeps a record, in place of an older one.
func (s *AgentStore) Put(ctx context.Context, tenant string, record catalog.Agent) error {
	value, err := json.Marshal(record.AgentRules)
	if err != nil {
		return err
	}
	if err := s.bucket.Put(ctx, tenant+"."+record.Name, value); err != nil {
		return err
	}
	s.agents.Put(tenant, record.Name, record.AgentRules)
	return nil
}

// Delete removes a record and reports whether there was one.
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

// rulesOf reads a stored record. One that nobody can read allows nothing: it
// must not become the default set.
func rulesOf(value []byte) (catalog.AgentRules, error) {
	var rules catalog.AgentRules
	if err := json.Unmarshal(value, &rules); err != nil {
		return catalog.AgentRules{}, err
	}
	return rules, nil
}
