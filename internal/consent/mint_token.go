package consent

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
)

// tokenMargin is added to the time that a call may wait in the queue, as the validity
// of its token.
const tokenMargin = time.Minute

// tokenFor makes the token of one granted call: for its tool, its trace and its
// arguments only. Its ID consists of the consent and the call, so that two copies of
// the call share one use.
func (svc *Service) tokenFor(p *store.Parked, own, r *protocol.Consent, start time.Time) (string, error) {
	e := p.Call
	return svc.Signer.Mint(token.Claims{
		ID: r.ID + "-" + short(e.ID), Tenant: p.Tenant, User: e.User, TraceID: e.TraceID, Tools: []string{own.Tool},
		Scopes: &own.Scopes, ArgsHash: own.ArgsHash, CallID: e.ID, Binding: own.Binding, Permissions: r.Permissions,
		IssuedAt: time.Now(), Expires: start.Add(tokenMargin), By: r.Verdict.By, Approver: own.ApproverOnly && r.Verdict.Approver,
	})
}

// Mint makes a token for a plan that a person approved before any of its calls was
// made. Only a person, for themselves, or an approver may.
func (svc *Service) Mint(
	ctx context.Context, tenant string, spec MintSpec, by identity.Principal,
) (text, id string, expires time.Time, err error) {
	if by.Agent != "" {
		return "", "", time.Time{}, fail(Forbidden, "an agent cannot approve a plan; a person must, as themselves")
	}
	if err := mayDecide(by, spec.User, ""); err != nil {
		return "", "", time.Time{}, err
	}
	if spec.TTL > svc.TokenTTL {
		return "", "", time.Time{}, fail(BadRequest, "a token may hold for %v at most", svc.TokenTTL)
	}
	of, err := svc.planned(ctx, tenant, &spec)
	if err != nil {
		return "", "", time.Time{}, err
	}
	now := time.Now()
	claims := token.Claims{
		ID: uuid.Must(uuid.NewV7()).String(), Tenant: tenant, User: spec.User, TraceID: spec.TraceID, Tools: spec.Tools,
		Scopes: spec.Scopes, ArgsHash: spec.ArgsHash, CallID: spec.CallID, Reusable: spec.Reusable, Program: of,
		IssuedAt: now, Expires: now.Add(spec.TTL), By: by.Called(),
	}
	if text, err = svc.Signer.Mint(claims); err != nil {
		return "", "", time.Time{}, fail(BadRequest, "no such token can be made: %v", err)
	}
	if err = svc.Trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditTokenMinted, TraceID: spec.TraceID, CallID: spec.CallID, Tenant: tenant, User: spec.User, By: by.Called(),
		ArgsHash: spec.ArgsHash, TokenID: claims.ID, Detail: planText(&spec),
	}); err == nil && of != nil {
		err = svc.Present(ctx, tenant, *of, PlanToken{Text: text, Tools: spec.Tools, Expires: claims.Expires})
	}
	return text, claims.ID, claims.Expires, err
}

// approves reports whether a principal may decide what needs an approver.
func approves(by identity.Principal) bool { return by.Has(identity.Approver, identity.Admin) }

// mayDecide returns an error if a principal may not decide for a user about a request
// of an agent.
func mayDecide(by identity.Principal, user, agent string) error {
	switch {
	case agent != "" && by.Agent == agent:
		return fail(Forbidden, "the agent that asked cannot decide; a person must")
	case by.Has(identity.Approver):
		return nil
	case by.Has(identity.User) && (by.Open || by.User == user):
		return nil
	}
	return fail(Forbidden, "only the person a request is for, or an approver, may decide")
}
