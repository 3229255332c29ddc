package protocol

import "slices"

// Listed reports whether a tool that is bound to c is listed for an agent of a tenant,
// in any conversation. A nil c does not restrict the tool.
func (c *ToolContexts) Listed(tenant, agent string) bool {
	return c == nil || has(c.Tenants, tenant) && has(c.Agents, agent)
}

// Hold reports whether a call with these values may use the tool.
func (c *ToolContexts) Hold(tenant, agent, conversation string) bool {
	return c.Listed(tenant, agent) && (c == nil || has(c.Conversations, conversation))
}

func has(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }
