package catalog

import (
	"cmp"
	"slices"
	"sync"
)

// Agent is an agent's record.
type Agent struct {
	// Name is the agent's name, unique in its tenant.
	Name string `json:"agent"`
	AgentRules
}

// Agents holds the records of all tenants' agents. The zero value is empty and
// ready; its methods may be used by any number of goroutines.
type Agents struct {
	mu      sync.RWMutex
	records map[agentKey]*AgentRules
}

type agentKey struct{ tenant, agent string }

// Put keeps a copy of the rules as the agent's record, in place of an older one.
// It does not validate them.
func (a *Agents) Put(tenant, agent string, rules AgentRules) {
	kept := rules.Normal()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.records == nil {
		a.records = map[agentKey]*AgentRules{}
	}
	a.records[agentKey{tenant, agent}] = &kept
}

// Remove forgets the agent's record, after which the agent has the default set.
func (a *Agents) Remove(tenant, agent string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.records, agentKey{tenant, agent})
}

// Rules returns the agent's record, nil when there is none. It must not be
// changed.
func (a *Agents) Rules(tenant, agent string) *AgentRules {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.records[agentKey{tenant, agent}]
}

// List returns the records of a tenant's agents, by name.
func (a *Agents) List(tenant string) []Agent {
	a.mu.RLock()
	list := []Agent{}
	for key, rules := range a.records {
		if key.tenant == tenant {
			list = append(list, Agent{key.agent, *rules})
		}
	}
	a.mu.RUnlock()
	slices.SortFunc(list, func(x, y Agent) int { return cmp.Compare(x.Name, y.Name) })
	return list
}
