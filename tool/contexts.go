package tool

import "slices"

// Contexts are the calls that a tool is bound to. An empty list is any.
type Contexts struct {
	Tenants       []string `json:"tenants,omitempty"`
	Agents        []string `json:"agents,omitempty"`
	Conversations []string `json:"conversations,omitempty"`
}

// Listed reports whether a tenant's agent is to be shown a tool that is bound to c,
// in whatever conversation. Nil is bound to nothing.
func (c *Contexts) Listed(tenant, agent string) bool {
	return c == nil || has(c.Tenants, tenant) && has(c.Agents, agent)
}

// Hold reports whether a call may be made.
func (c *Contexts) Hold(tenant, agent, conversation string) bool {
	return c.Listed(tenant, agent) && (c == nil || has(c.Conversations, conversation))
}

func has(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }
