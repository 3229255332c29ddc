package gate

import (
	"context"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// question parks a call whose tool asks the person a question: their answer is its result.
// No token and no grant replaces the answer.
func (p *pass) question(ctx context.Context, q *tool.Question) error {
	if _, err := schema.Compile(q.Schema); err != nil {
		return tool.Fail(tool.ValidationError, "the schema of the answer cannot be used: %s", err)
	}
	const reason = "the agent asks a question"
	p.j.Decision = engine.Decision{Outcome: protocol.OutcomeConfirmationRequired, Reason: reason, Rule: p.decision.Rule}
	if p.j.Nested {
		return tool.Fail(tool.ConfirmationRequired,
			"a person must answer, and a call that another one makes is never parked: call '%s' by itself", p.j.Definition().Name)
	}
	if p.j.User == "" {
		return tool.Fail(tool.ConfirmationRequired, "a person must answer; name the user in the context so that they can be asked")
	}
	def := p.j.Definition()
	return p.park(ctx, consent.Ask{Request: protocol.Consent{
		Kind: protocol.ConsentQuestion, Question: q.Text, Schema: q.Schema, Reason: reason,
		Permissions: []string{}, ForTool: true, Scopes: narrowest(def.Scopes, p.j.Within),
	}})
}
