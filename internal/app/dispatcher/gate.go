package dispatcher

import (
	"context"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/token"
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
