package api

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Policies returns what the policy in force decides.
type Policies interface {
	// Explain returns how a call would be decided, which is not made.
	Explain(ctx context.Context, tenant string, q protocol.PolicyQuestion) (protocol.PolicyExplanation, error)
	// InForce returns the rules by which the workers of a pool decide; of any pool for an
	// empty name.
	InForce(ctx context.Context, pool string) (protocol.PolicyInForce, error)
}

// origins are the ways of a call that a question may name.
var origins = []string{"", "direct", "use_tool", "batch", "javascript", "mcp", "schedule"}

func (s *Service) explainPolicy(ctx context.Context, in Input) (Reply, error) {
	if s.Policies == nil {
		return Reply{}, missing("policy")
	}
	var q protocol.PolicyQuestion
	if err := parseBody(in.Body, &q, `{"tool": "http_request", "arguments": {"url": "https://a.example"}, "agent": "a1"}`); err != nil {
		return Reply{}, err
	}
	for name, value := range map[string]string{"user": q.User, "agent": q.Agent, "conversation": q.Conversation} {
		if err := optionalName(name, value); err != nil {
			return Reply{}, err
		}
	}
	switch {
	case !tool.ValidName(q.Tool):
		return Reply{}, BadRequest("%.80q is not a tool's name; set tool", q.Tool)
	case !slices.Contains(origins, q.Origin):
		return Reply{}, notOneOf("origin", q.Origin, origins[1:])
	}
	if !in.By.Oversees() {
		by, err := narrow(in, q.User, q.Agent)
		if err != nil {
			return Reply{}, err
		}
		q.User, q.Agent = by.User, by.Agent
	}
	m, err := s.Policies.Explain(ctx, in.Tenant, q)
	if err != nil {
		return Reply{}, err
	}
	if !in.By.Oversees() { // how rules are written is for those who may read them
		m.At, m.Rules = "", []protocol.PolicyReason{}
	}
	return answer(m)
}

// getPolicy is for the tenant default only: the rules are every tenant's.
func (s *Service) getPolicy(ctx context.Context, in Input) (Reply, error) {
	switch {
	case s.Policies == nil:
		return Reply{}, missing("policy")
	case in.Tenant != DefaultTenant:
		return Reply{}, Forbidden("the rules are those of every tenant; ask in the tenant %s", DefaultTenant)
	}
	pool := in.Params["pool"]
	if err := optionalName("pool", pool); err != nil {
		return Reply{}, err
	}
	found, err := s.Policies.InForce(ctx, pool)
	if err != nil {
		return Reply{}, err
	}
	return answer(found)
}
