package toolbox

import (
	"context"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Access checks calls against the tool sets of agents, as this worker knows them.
type Access struct {
	Agents   *catalog.Agents
	Switches catalog.Switches
	// Stored returns the stored record of an agent, nil if there is none.
	Stored func(ctx context.Context, tenant, agent string) (*protocol.AgentRules, error)
	Log    *zap.Logger
}

// Allow implements [engine.Access].
func (a Access) Allow(ctx context.Context, j *engine.Job) error {
	if j.Reach != nil {
		if err := j.Reach(j.Entry().Tool); err != nil {
			return err
		}
	}
	def := j.Definition()
	if !def.BoundTo.Hold(j.Tenant, j.Agent, j.Conversation) {
		return a.Switches.Unavailable(j.Tenant, def, j.Agent, j.Name)
	}
	if a.may(ctx, j.Tenant, j.Agent, def) {
		return nil
	}
	return a.Switches.Unavailable(j.Tenant, def, j.Agent, j.Name)
}

// may reports whether an agent may use a tool. A dispatcher may know a newer record of the
// agent than this worker, so the stored one is read before a call is refused.
func (a Access) may(ctx context.Context, tenant, agent string, def *tool.Definition) bool {
	if agent == "" || a.Allows(tenant, agent, def) {
		return a.Allows(tenant, agent, def)
	}
	rules, err := a.Stored(ctx, tenant, agent)
	if err != nil {
		a.Log.Warn("agent's tool set not read", zap.String("tenant", tenant), zap.String("agent", agent), zap.Error(err))
		return false
	}
	return a.Switches.Allows(rules, tenant, agent, def)
}

// Allows reports whether an agent may use a tool, by the record that this worker knows.
func (a Access) Allows(tenant, agent string, def *tool.Definition) bool {
	return a.Switches.Allows(a.Agents.Rules(tenant, agent), tenant, agent, def)
}
