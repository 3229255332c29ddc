package gate

import (
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/protocol"
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

// Grants holds the decisions of people that cover more than one call.
type Grants interface {
	Find(ctx context.Context, tenant, user, conversation string, s consent.Subject) (consent.Standing, *protocol.Grant, error)
}

// Gate implements [engine.Policy]. All fields but Now must be set.
type Gate struct {
	Policy Policy
	Keys   Keys
	Grants Grants
	// Spend marks a single-use token as used by a call. It returns false if another call
	// has used it.
	Spend func(ctx context.Context, tenant, tokenID, callID string) (bool, error)
	// Park parks a job; nil means that it is parked.
	Park func(ctx context.Context, j *engine.Job, a consent.Ask) error
	// TTL is the time a person may take to decide if the policy sets none.
	TTL time.Duration
	// StepTTL is that for a step of a program, which waits as long as it must, unless the policy
	// sets a shorter one.
	StepTTL time.Duration
	// Decided counts a decision by its outcome and the tool's risk.
	Decided func(outcome, risk string)
	Now     func() time.Time
}

// pass is the check of one job, with its findings so far.
type pass struct {
	*Gate
	j        *engine.Job
	decision policy.Decision
	claims   *token.Claims
	missing  []string // permissions not granted yet
	account  *tool.AccountMissing
	carried  bool // a permission came with the token
	outdated bool // what the person approved was changed since
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
		Tool: lowered(def, p.j.Risk), Mutates: p.j.Invocation().Mutates, Arguments: p.j.Arguments(), Origin: origin(p.j), Now: p.now(),
	})
	p.j.Within = append(slices.Clip(p.j.Within), p.decision.Narrow...)
	if err := p.way(); err != nil {
		return err
	}
	if p.decision.Outcome == policy.Refuse {
		return p.block(tool.PolicyDenied, "Policy does not allow this call of '%s': %s (%s)", def.Name, p.decision.Reason, p.decision.Rule)
	}
	if p.j.Begun() {
		p.allow()
		return nil
	}
	if q := p.j.Invocation().Question; q != nil {
		return p.question(ctx, q)
	}
	if p.j.Token != "" {
		if err := p.present(ctx); err != nil {
			return err
		}
	}
	required := def.RequiredPermissions
	if a := p.j.Entry().Tool.Adoption; a != nil {
		required = append(slices.Clip(required), a.Permission)
	}
	if err := p.permissions(ctx, required); err != nil {
		return err
	}
	ask := p.decision.Outcome == policy.Ask || p.j.Entry().Tool.ApproverOnly
	if p.account != nil {
		return p.connect(ctx, ask)
	}
	switch {
	case p.claims != nil && (ask || p.carried): // the token changes the decision
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

// lowered returns def with the risk of this call, if its tool rated that lower.
func lowered(def *tool.Definition, risk tool.Risk) *tool.Definition {
	if risk != tool.Low && (risk != tool.Medium || def.Risk != tool.High) || risk == def.Risk {
		return def
	}
	own := *def
	own.Risk = risk
	return &own
}

// way refuses a call through a delegating tool if the rules forbid that route.
func (p *pass) way() error {
	way := p.j.Delegator()
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

// allow records the reason why the job may run.
func (p *pass) allow() {
	d := engine.Decision{Outcome: protocol.OutcomeAllowed, Reason: p.decision.Reason, Rule: p.decision.Rule}
	if p.claims != nil {
		d.Reason, d.Rule = "confirmed by "+p.claims.By, "token:"+p.claims.ID
	} else if p.j.Decision.Rule != "" {
		d.Reason, d.Rule = p.j.Decision.Reason, p.j.Decision.Rule // a grant allowed it
	}
	p.j.Decision = d
}

// block records the reason why the job may not run, and returns it as an error.
func (p *pass) block(kind tool.Kind, format string, args ...any) *tool.Error {
	err := tool.Fail(kind, format, args...)
	rule := p.decision.Rule
	p.j.Decision = engine.Decision{Outcome: protocol.OutcomeBlocked, Reason: err.Msg, Rule: rule}
	return err
}

func (p *pass) now() time.Time {
	if p.Now == nil {
		return time.Now()
	}
	return p.Now()
}

func origin(j *engine.Job) policy.Origin {
	if j.Via == "" {
		return policy.Direct
	}
	return policy.Origin(j.Via)
}
