// Package gate is where a worker decides whether a call runs: policy, confirm
// token, permissions and grants, in that order, for every way a call can come.
//
// It promises that what it judged is what runs: the arguments that the policy
// read, the person saw and the tool gets are one value, and what the call may
// reach is put on the job for its ports to enforce. A call without a person's
// yes, where one is needed, is parked, or refused if it names nobody to ask. A
// call that needs nobody costs no message.
//
// It does not promise that the policy is wise, or that a grant which is revoked
// stops a call that is already past the gate.
package gate

import (
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/token"
	"github.com/helve-dev/helve/tool"
)

// Policy decides from rules alone.
type Policy interface {
	Decide(in policy.Input) policy.Decision
}

// Keys verify a token's form, signature and time.
type Keys interface {
	Verify(text string, now time.Time) (token.Claims, error)
}

// Grants are what people decided for longer than one call.
type Grants interface {
	Find(ctx context.Context, tenant, user, conversation string, s consent.Subject) (consent.Standing, *consent.Grant, error)
}

// Gate implements [engine.Policy]. All fields but Now must be set.
type Gate struct {
	Policy Policy
	Keys   Keys
	Grants Grants
	// Spend marks a single-use token as used by a call. False means that another
	// call has used it.
	Spend func(ctx context.Context, tenant, tokenID, callID string) (bool, error)
	// Park parks a job; nil means that it is parked.
	Park func(ctx context.Context, j *engine.Job, a consent.Ask) error
	// TTL is how long a person may take where the policy does not say.
	TTL time.Duration
	// Decided counts a decision by its outcome and the tool's risk.
	Decided func(outcome, risk string)
	Now     func() time.Time
}

// pass is one job at the gate: what stands in its way, and what was found.
type pass struct {
	*Gate
	j        *engine.Job
	decision policy.Decision
	claims   *token.Claims
	missing  []string // permissions nobody granted yet
	carried  bool     // a permission came with the token
}

// Authorize implements [engine.Policy].
func (g *Gate) Authorize(ctx context.Context, j *engine.Job) error {
	p := &pass{Gate: g, j: j}
	err := p.judge(ctx)
	g.Decided(j.Decision.Outcome, string(j.Definition().Risk))
	return err
}

func (p *pass) judge(ctx context.Context) error {
	def := p.j.Definition()
	p.decision = p.Policy.Decide(policy.Input{
		Tenant: p.j.Tenant, User: p.j.User, Agent: p.j.Agent, Conversation: p.j.Conversation,
		Tool: def, Mutates: p.j.Invocation().Mutates, Arguments: p.j.Arguments(), Origin: origin(p.j), Now: p.now(),
	})
	p.j.Within = append(slices.Clip(p.j.Within), p.decision.Narrow...)
	if err := p.way(); err != nil {
		return err
	}
	if p.decision.Outcome == policy.Refuse {
		return p.block(tool.PolicyDenied, "Policy does not allow this call of '%s': %s (%s)", def.Name, p.decision.Reason, p.decision.Rule)
	}
	if p.j.Token != "" {
		if err := p.present(); err != nil {
			return err
		}
	}
	if err := p.permissions(ctx, def.RequiredPermissions); err != nil {
		return err
	}
	ask := p.decision.Outcome == policy.Ask
	switch {
	case p.claims != nil && (ask || p.carried): // the token makes a difference
		if err := p.spend(ctx); err != nil {
			return err
		}
		ask = false
	case ask:
		granted, err := p.granted(ctx)
		if err != nil {
			return err
		}
		ask = !granted
	}
	if ask || len(p.missing) > 0 {
		return p.ask(ctx, ask)
	}
	p.allow()
	return nil
}

// way refuses a call whose way to its tool the rules forbid.
func (p *pass) way() error {
	way := p.j.Way()
	if way == nil {
		return nil
	}
	d := p.Policy.Decide(policy.Input{
		Tenant: p.j.Tenant, User: p.j.User, Agent: p.j.Agent, Conversation: p.j.Conversation,
		Tool: way, Arguments: p.j.Arguments(), Origin: policy.Direct, Now: p.now(),
	})
	if d.Outcome != policy.Refuse {
		return nil
	}
	p.decision.Rule = d.Rule
	return p.block(tool.PolicyDenied, "Policy does not allow calls by way of '%s': %s (%s)", way.Name, d.Reason, d.Rule)
}

// allow records why the job may run.
func (p *pass) allow() {
	d := engine.Decision{Outcome: audit.Allowed, Reason: p.decision.Reason, Rule: p.decision.Rule}
	if p.claims != nil {
		d.Reason, d.Rule = "confirmed by "+p.claims.By, "token:"+p.claims.ID
	} else if p.j.Decision.Rule != "" {
		d.Reason, d.Rule = p.j.Decision.Reason, p.j.Decision.Rule // a grant said so
	}
	p.j.Decision = d
}

// block records why the job may not run, and returns that.
func (p *pass) block(kind tool.Kind, format string, args ...any) *tool.Error {
	err := tool.Fail(kind, format, args...)
	rule := p.decision.Rule
	p.j.Decision = engine.Decision{Outcome: audit.Blocked, Reason: err.Msg, Rule: rule}
	return err
}

func (p *pass) now() time.Time {
	if p.Now == nil {
		return time.Now()
	}
	return p.Now()
}

func origin(j *engine.Job) policy.Origin {
	if j.Origin == "" {
		return policy.Direct
	}
	return policy.Origin(j.Origin)
}
