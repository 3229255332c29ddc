package catalog

import (
	"cmp"
	"slices"
	"sync"

	"github.com/helve-dev/helve/protocol"
)

// Agents stores the records of all tenants' agents in memory. The zero value is empty
// and ready; its methods are safe for concurrent use.
type Agents struct {
	mu      sync.RWMutex
	records map[agentKey]*protocol.AgentRules
}

type agentKey struct{ tenant, agent string }

// Put stores a copy of the rules as the agent's record and replaces an existing one. It
// does not validate them.
func (a *Agents) Put(tenant, agent string, rules protocol.AgentRules) {
	kept := rules.Normal()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.records == nil {
		a.records = map[agentKey]*protocol.AgentRules{}
	}
	a.records[agentKey{tenant, agent}] = &kept
}

// Remove removes the agent's record; the agent then has the default set.
func (a *Agents) Remove(tenant, agent string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.records, agentKey{tenant, agent})
}

// Rules returns the agent's record, or nil. It must not be changed.
func (a *Agents) Rules(tenant, agent string) *protocol.AgentRules {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.records[agentKey{tenant, agent}]
}

// List returns the records of a tenant's agents, sorted by name.
func (a *Agents) List(tenant string) []protocol.Agent {
	a.mu.RLock()
	list := []protocol.Agent{}
	for key, rules := range a.records {
		if key.tenant == tenant {
			list = append(list, rules.Of(key.agent))
		}
	}
	a.mu.RUnlock()
	slices.SortFunc(list, func(x, y protocol.Agent) int { return cmp.Compare(x.Name, y.Name) })
	return list
}
