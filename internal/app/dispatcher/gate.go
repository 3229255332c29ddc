package dispatcher

import (
	"context"
	"errors"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/durable"
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
	stored, err := programs.Open(ctx, q)
	if err != nil {
		return nil, err
	}
	return consent.Open(ctx, consent.Options{
		Program: running(stored), Present: presenting(stored),
		Queue: q, Signer: token.NewSigner(keys.Signing), Ring: ring, Trail: t, Metrics: kit.Metrics, Tracing: kit.Tracing, Log: kit.Log,
		HasAccount: hasAccount, QueueTTL: cfg.Dispatcher.QueueTTL, TokenTTL: cfg.Streams.CallsMaxAge,
	})
}

// running returns what a grant or a token for the rest of a program is bound to.
func running(stored *programs.Store) func(ctx context.Context, tenant, callID string) (*consent.Program, error) {
	return func(ctx context.Context, tenant, callID string) (*consent.Program, error) {
		p, _, err := stored.Read(ctx, programs.Key{Tenant: tenant, CallID: callID})
		if p == nil || err != nil || p.State == durable.Done || p.Cancelled {
			return nil, err
		}
		return &consent.Program{User: p.Call.User, TraceID: p.Call.TraceID, Run: p.Run()}, nil
	}
}

// presenting returns a function that stores a token with its program.
func presenting(stored *programs.Store) func(ctx context.Context, tenant string, of protocol.ProgramRun, t consent.PlanToken) error {
	return func(ctx context.Context, tenant string, of protocol.ProgramRun, t consent.PlanToken) error {
		k := programs.Key{Tenant: tenant, CallID: of.CallID}
		for {
			p, revision, err := stored.Read(ctx, k)
			if err != nil {
				return err
			}
			if p == nil || p.State == durable.Done || p.Run() != of.Run {
				return &consent.Error{Kind: consent.Conflict, Msg: "the program has ended meanwhile, so the token covers nothing"}
			}
			added := durable.Token{Text: t.Text, Tools: t.Tools, ExpiresMS: t.Expires.UnixMilli()}
			if !p.AddToken(added, time.Now()) {
				return &consent.Error{Kind: consent.Conflict, Msg: "the program has as many tokens as it may; wait until one of them has expired"}
			}
			if err := stored.Change(ctx, k, p, revision); !errors.Is(err, natsio.ErrExists) {
				return err
			}
		}
	}
}

// grants adapts a service's grants to [api.Grants].
type grants struct{ *consent.Service }

// List implements [api.Grants].
func (g grants) List(ctx context.Context, tenant, user string) ([]protocol.Grant, error) {
	return g.Grants(ctx, tenant, user)
}
