package gate

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Connect parks a job until its person has connected an account. A call that would be
// refused anyhow is refused now, and an approval that it needs is asked for afterwards.
func (g *Gate) Connect(ctx context.Context, j *engine.Job, m *tool.AccountMissing) error {
	p := &pass{Gate: g, j: j, account: m}
	err := p.judge(ctx)
	g.Decided(j.Decision.Outcome, string(j.Definition().Risk))
	return err
}

// connect asks the person for the account. No token and no grant replaces it.
func (p *pass) connect(ctx context.Context, ask bool) error {
	m := p.account
	if ask && p.claims == nil {
		if _, err := p.granted(ctx); err != nil {
			return err // the person does not want this tool at all
		}
	}
	switch {
	case p.j.User == "":
		return p.block(tool.NotConfigured,
			"%s; accounts belong to persons: name the user in the context, who connects one with helve config connect %s", m, m.Service)
	case p.j.Nested:
		return p.block(tool.NotConfigured,
			"%s for %s, and a call that another one makes is never parked: %s connects it with helve config connect %s --user %[2]s, "+
				"or call '%[4]s' by itself",
			m, p.j.User, p.j.User, m.Service, p.j.Definition().Name)
	case m.Page == "":
		return p.block(tool.NotConfigured,
			"%s for %s, and the dispatchers do not know the address at which it can be connected: the operator sets http.public_url", m, p.j.User)
	}
	subject := consent.AccountOf(m.Service)
	standing, grant, err := p.Grants.Find(ctx, p.j.Tenant, p.j.User, p.j.Conversation, subject)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", engine.ErrRetry, err)
	case standing == consent.Never:
		return p.never(grant, "the person does not want to be asked for an account of "+m.Service+" again")
	}
	def := p.j.Definition()
	reason := fmt.Sprintf("'%s' needs an account of %s, which you have not connected yet", def.Name, m.Title)
	if m.Reason != "" {
		reason = fmt.Sprintf("'%s' needs your account of %s, which must be connected again: %s", def.Name, m.Title, m.Reason)
	}
	p.j.Decision = engine.Decision{Outcome: protocol.OutcomeConfirmationRequired, Reason: reason, Rule: p.decision.Rule}
	return p.park(ctx, consent.Ask{
		Shared: true, Page: m.Page,
		Request: protocol.Consent{
			Kind:        protocol.ConsentAccount,
			Service:     m.Service,
			Reason:      reason,
			Permissions: []string{},
			Scopes:      narrowest(def.Scopes, p.j.Within),
		},
	})
}
