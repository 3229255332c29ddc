package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/tool"
)

// present verifies the token that came with the job. A wrong token ends the call, even if
// the call needs none.
func (p *pass) present(ctx context.Context) error {
	claims, err := p.Keys.Verify(p.j.Token, p.now())
	changed := false
	if err == nil {
		var binding string
		if binding, changed, err = p.bound(ctx, claims.Binding); err != nil {
			return err
		}
		err = claims.Covers(token.Use{
			Tenant: p.j.Tenant, User: p.j.User, TraceID: p.j.TraceID, Tool: p.j.Definition().Name,
			ArgsHash: p.j.ArgsHash(), CallID: p.j.ID, Binding: binding, High: p.j.Definition().Risk == tool.High,
			Programs: p.j.Programs, Explicit: p.kinds().explicit, ApproverOnly: p.j.Entry().Tool.ApproverOnly,
		})
	}
	if refusal, ok := errors.AsType[*token.Refusal](err); ok && refusal.Binding == token.Version && changed && p.j.Granted {
		p.outdated = true // the person is asked again
		return nil
	}
	if err != nil {
		if refusal, ok := errors.AsType[*token.Refusal](err); ok && (p.j.Nested || p.ofProgram() || p.passesOn(refusal)) {
			return nil // it was minted for the outer call, or for the nested calls of this one
		}
		return p.refuseToken(err)
	}
	p.claims = &claims
	if claims.Scopes != nil {
		p.j.Within = append(slices.Clip(p.j.Within), *claims.Scopes)
	}
	return nil
}

// ofProgram reports whether the token came with the program of the call, and not with the call: if
// it does not cover the call, the call has none.
func (p *pass) ofProgram() bool { return p.j.Step != nil && !p.j.Granted }

// bound returns the job's binding, to be compared with an approved one, and whether they differ
// only because a file that the call changes is another now.
func (p *pass) bound(ctx context.Context, approved string) (binding string, changed bool, err error) {
	if approved == "" || p.j.Nested {
		return p.j.Binding(), false, nil
	}
	if _, err := p.j.Changes(ctx); err != nil {
		return "", false, err
	}
	changed, done := p.j.ChangedSince(approved)
	if done {
		return approved, false, nil
	}
	return p.j.Binding(), changed, nil
}

// passesOn reports whether a token of other tools may be meant for the nested calls of this
// call, as in a batch: each nested call is checked against it, and this call needs none.
// The nested calls of a script are not written by the caller, so a script must be named in
// the token.
func (p *pass) passesOn(refusal *token.Refusal) bool {
	t := p.j.Entry().Tool
	return refusal.Binding == token.Tool && p.decision.Outcome == policy.Run && t.Needs.Has(tool.NeedTools) && t.Kind == tool.KindBuiltin
}

func (p *pass) refuseToken(err error) error {
	refusal, ok := errors.AsType[*token.Refusal](err)
	if !ok {
		return err
	}
	if refusal.Binding == token.Unconfirmed || refusal.Binding == token.Key && p.j.Granted {
		// The dispatcher's key could not be fetched yet, or the dispatcher is newer than
		// this worker's list of keys.
		return fmt.Errorf("%w: %w", engine.ErrRetry, err)
	}
	blocked := p.block(tool.PermissionDenied, "%s", refusal.Msg)
	p.j.Decision.Rule = "token:" + refusal.Binding
	return blocked
}

// spend marks a single-use token as used. A redelivered call has used the token itself.
func (p *pass) spend(ctx context.Context) error {
	if p.claims.Reusable {
		return nil
	}
	first, err := p.Spend(ctx, p.j.Tenant, p.claims.ID, p.j.ID)
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrRetry, err)
	}
	switch {
	case !first && (p.j.Nested || p.ofProgram()):
		return p.ask(ctx, true) // the outer call, or another step, has used it
	case !first:
		return p.refuseToken(&token.Refusal{
			Binding: "used", Msg: "the confirm token was used before, and it holds for one call; ask for a new one",
		})
	}
	return nil
}
