package changes

import (
	"context"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// Agents records changes of agents' tool sets before they take effect.
type Agents struct {
	api.AgentStore

	Trail trail.Writer
}

// Put implements [api.AgentStore].
func (a Agents) Put(ctx context.Context, tenant string, record protocol.Agent) error {
	if err := a.write(ctx, tenant, record.Name, "the tool set was changed"); err != nil {
		return err
	}
	return a.AgentStore.Put(ctx, tenant, record)
}

// Delete implements [api.AgentStore].
func (a Agents) Delete(ctx context.Context, tenant, agent string) (bool, error) {
	if err := a.write(ctx, tenant, agent, "the tool set was deleted"); err != nil {
		return false, err
	}
	return a.AgentStore.Delete(ctx, tenant, agent)
}

func (a Agents) write(ctx context.Context, tenant, agent, what string) error {
	return a.Trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditAgentChanged, Tenant: tenant, Agent: agent, By: identity.Of(ctx).Called(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed}, Detail: what,
	})
}
