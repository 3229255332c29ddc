package catalog

import (
	"github.com/helve-dev/helve/tool"
)

// Unavailable returns the error for a tool that exists and that the agent may not use,
// with its group and the person who can enable it. Name is the name that the caller
// used.
func (v View) Unavailable(def *tool.Definition, agent, name string) *tool.Error {
	return v.switches.Unavailable(v.tenant, def, agent, name)
}

// Unavailable returns [View.Unavailable] for an agent of a tenant.
func (s Switches) Unavailable(tenant string, def *tool.Definition, agent, name string) *tool.Error {
	if !def.Enabled || s.off(tenant, def.Group) {
		return tool.Fail(tool.ToolNotAvailable,
			"Tool '%s' is switched off: it is in group '%s', which an operator switches on with --group %s=on", name, def.Group, def.Group)
	}
	if !def.BoundTo.Listed(tenant, agent) {
		return tool.Fail(tool.ToolNotAvailable,
			"Tool '%s' is not available for this agent: it is in group '%s' and bound to other agents, which an operator can change",
			name, def.Group)
	}
	if agent == "" {
		return tool.Fail(tool.ToolNotAvailable,
			"Tool '%s' is not available: it is in group '%s', which is off until an operator switches it on with --group %s=on, or an admin "+
				"allows it to the agent that a call names with `helve agents set AGENT --groups %s`",
			name, def.Group, def.Group, def.Group)
	}
	return tool.Fail(tool.ToolNotAvailable,
		"Tool '%s' is not available for this agent: it is in group '%s', which an admin allows with `helve agents set %s --groups`, "+
			"or an operator switches on with --group %s=on",
		name, def.Group, agent, def.Group)
}
