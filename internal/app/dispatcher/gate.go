package dispatcher

import (
	"context"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// openConsent starts a dispatcher's side of consent.
func openConsent(
	ctx context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, t trail.Writer,
	hasAccount func(tenant, user, service string) bool,
) (*consent.Service, error) {
	keys, err := signingKeys(cfg, keysync.Token)
	if err != nil {
		return nil, err
	}
	ring := &token.Keyring{}
	if err := keysync.Follow(ctx, q, keysync.Token, ring, kit.Log, append(keys.Old, keys.Public())...); err != nil {
		return nil, err
	}
	// Other processes request a key's confirmation when it is published.
	if err := keysync.Vouch(q, keysync.Token, ring); err != nil {
		return nil, err
	}
	if err := keysync.Publish(ctx, q, keysync.Token, keys.Public(), keys.Old, kit.Log); err != nil {
		return nil, err
	}
	return consent.Open(ctx, consent.Options{
		Queue: q, Signer: token.NewSigner(keys.Signing), Ring: ring, Trail: t, Metrics: kit.Metrics, Tracing: kit.Tracing, Log: kit.Log,
		HasAccount: hasAccount, QueueTTL: cfg.Dispatcher.QueueTTL, TokenTTL: cfg.Streams.CallsMaxAge,
	})
}

// grants adapts a service's grants to [api.Grants].
type grants struct{ *consent.Service }

// List implements [api.Grants].
func (g grants) List(ctx context.Context, tenant, user string) ([]protocol.Grant, error) {
	return g.Grants(ctx, tenant, user)
}

// agents records changes of agents' tool sets before they take effect.
type agents struct {
	api.AgentStore
	trail trail.Writer
}

// Put implements [api.AgentStore].
func (a agents) Put(ctx context.Context, tenant string, record protocol.Agent) error {
	if err := a.write(ctx, tenant, record.Name, "the tool set was changed"); err != nil {
		return err
	}
	return a.AgentStore.Put(ctx, tenant, record)
}

// Delete implements [api.AgentStore].
func (a agents) Delete(ctx context.Context, tenant, agent string) (bool, error) {
	if err := a.write(ctx, tenant, agent, "the tool set was deleted"); err != nil {
		return false, err
	}
	return a.AgentStore.Delete(ctx, tenant, agent)
}

func (a agents) write(ctx context.Context, tenant, agent, what string) error {
	return a.trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditAgentChanged, Tenant: tenant, Agent: agent, By: identity.Of(ctx).Called(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed}, Detail: what,
	})
}
