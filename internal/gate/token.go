package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/token"
	"github.com/helve-dev/helve/tool"
)

// present looks at the token that came with the job. A token that is wrong ends
// the call, also one that would have run without.
func (p *pass) present() error {
	claims, err := p.Keys.Verify(p.j.Token, p.now())
	if err == nil {
		err = claims.Covers(token.Use{
			Tenant: p.j.Tenant, User: p.j.User, TraceID: p.j.TraceID, Tool: p.j.Definition().Name,
			ArgsHash: p.j.ArgsHash(), CallID: p.j.ID, Binding: p.j.Binding(), High: p.j.Definition().Risk == tool.High,
		})
	}
	if err != nil {
		if refusal, ok := errors.AsType[*token.Refusal](err); ok && (p.j.Inner || p.passesOn(refusal)) {
			return nil // it was minted for the call around this one, or for those that it makes
		}
		return p.refuseToken(err)
	}
	p.claims = &claims
	if claims.Scopes != nil {
		p.j.Within = append(slices.Clip(p.j.Within), *claims.Scopes)
	}
	return nil
}

// passesOn says that a token of other tools may be meant for the calls that this one
// makes, as a batch does: each of them is shown it, and this one needs none. The calls
// that a script makes are not the caller's, so it must be named.
func (p *pass) passesOn(refusal *token.Refusal) bool {
	t := p.j.Entry().Tool
	return refusal.Binding == token.Tool && p.decision.Outcome == policy.Run && t.Needs.Has(tool.NeedTools) && t.Kind == tool.KindBuiltin
}

func (p *pass) refuseToken(err error) error {
	refusal, ok := errors.AsType[*token.Refusal](err)
	if !ok {
		return err
	}
	if refusal.Binding == token.Key && p.j.Granted {
		// Its dispatcher is newer than what this worker knows of keys.
		return fmt.Errorf("%w: %w", engine.ErrRetry, err)
	}
	blocked := p.block(tool.PermissionDenied, "%s", refusal.Msg)
	p.j.Decision.Rule = "token:" + refusal.Binding
	return blocked
}

// spend uses up a token that holds for one call. A call that is delivered again
// has used it itself.
func (p *pass) spend(ctx context.Context) error {
	if p.claims.Reusable {
		return nil
	}
	first, err := p.Spend(ctx, p.j.Tenant, p.claims.ID, p.j.ID)
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrRetry, err)
	}
	switch {
	case !first && p.j.Inner:
		return p.ask(ctx, true) // the call around this one has used it
	case !first:
		return p.refuseToken(&token.Refusal{
			Binding: "used", Msg: "the confirm token was used before, and it holds for one call; ask for a new one",
		})
	}
	return nil
}
