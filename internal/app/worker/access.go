package worker

import (
	"context"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// access checks calls against the tool sets of agents, as this worker knows them.
type access struct {
	agents   *catalog.Agents
	switches catalog.Switches
	// stored returns the stored record of an agent, nil if there is none.
	stored func(ctx context.Context, tenant, agent string) (*protocol.AgentRules, error)
	log    *zap.Logger
}

func (w *Worker) access() access {
	return access{w.agents, w.catalogue.Switches, func(ctx context.Context, tenant, agent string) (*protocol.AgentRules, error) {
		return catalogsync.ReadAgent(ctx, w.queue, tenant, agent)
	}, w.kit.Log}
}

// Allow implements [engine.Access].
func (a access) Allow(ctx context.Context, j *engine.Job) error {
	if j.Reach != nil {
		if err := j.Reach(j.Entry().Tool); err != nil {
			return err
		}
	}
	def := j.Definition()
	if !def.BoundTo.Hold(j.Tenant, j.Agent, j.Conversation) {
		return a.switches.Unavailable(j.Tenant, def, j.Agent, j.Name)
	}
	if a.may(ctx, j.Tenant, j.Agent, def) {
		return nil
	}
	return a.switches.Unavailable(j.Tenant, def, j.Agent, j.Name)
}

// may reports whether an agent may use a tool. A dispatcher may know a newer record of the
// agent than this worker, so the stored one is read before a call is refused.
func (a access) may(ctx context.Context, tenant, agent string, def *tool.Definition) bool {
	if agent == "" || a.allows(tenant, agent, def) {
		return a.allows(tenant, agent, def)
	}
	rules, err := a.stored(ctx, tenant, agent)
	if err != nil {
		a.log.Warn("agent's tool set not read", zap.String("tenant", tenant), zap.String("agent", agent), zap.Error(err))
		return false
	}
	return a.switches.Allows(rules, tenant, agent, def)
}

func (a access) allows(tenant, agent string, def *tool.Definition) bool {
	return a.switches.Allows(a.agents.Rules(tenant, agent), tenant, agent, def)
}
