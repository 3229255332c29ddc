package directory

import (
	"context"
	"encoding/json"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
)

// AgentStore keeps the tool sets of agents. It reads what this process follows,
// and its own writes are in that before it returns.
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
func (s *AgentStore) List(_ context.Context, tenant string) ([]catalog.Agent, error) {
	return s.agents.List(tenant), nil
}

// Get returns the record of an agent and whether there is one.
func (s *AgentStore) Get(_ context.Context, tenant, agent string) (catalog.Agent, bool, error) {
	rules := s.agents.Rules(tenant, agent)
	if rules == nil {
		return catalog.Agent{}, false, nil
	}
	return catalog.Agent{Name: agent, AgentRules: *rules}, true, nil
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
	had := s.agents.Rules(tenant, agent) != nil
	if err := s.bucket.Delete(ctx, tenant+"."+agent); err != nil {
		return had, err
	}
	s.agents.Remove(tenant, agent)
	return had, nil
}
