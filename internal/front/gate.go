package front

import (
	"context"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/token"
	"github.com/helve-dev/helve/internal/trail"

	auditlog "github.com/helve-dev/helve/internal/audit"
)

// openDesk starts a dispatcher's side of consent.
func openDesk(ctx context.Context, cfg config.Config, kit *telemetry.Kit, b *bus.Bus, t trail.Trail) (*consent.Desk, error) {
	key, err := signingKey(ctx, cfg, b, directory.KeyToken, kit.Log)
	if err != nil {
		return nil, err
	}
	return consent.Open(ctx, consent.Options{
		Bus: b, Signer: token.NewSigner(key), Trail: t, Metrics: kit.Metrics, Log: kit.Log, QueueTTL: cfg.Dispatcher.QueueTTL, TokenTTL: cfg.Streams.CallsMaxAge,
	})
}

// grants gives a desk's grants the names of [api.Grants].
type grants struct{ *consent.Desk }

// List implements [api.Grants].
func (g grants) List(ctx context.Context, tenant, user string) ([]consent.Grant, error) {
	return g.Grants(ctx, tenant, user)
}

// agents puts changes of agents' tool sets on record before they hold.
type agents struct {
	api.AgentStore
	trail trail.Trail
}

// Put implements [api.AgentStore].
func (a agents) Put(ctx context.Context, tenant string, record catalog.Agent) error {
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
	return a.trail.Write(ctx, &auditlog.Record{
		Phase: auditlog.AgentChanged, Tenant: tenant, Agent: agent, By: identity.Of(ctx).Called(),
		Decision: &auditlog.Decision{Outcome: auditlog.Allowed}, Detail: what,
	})
}
