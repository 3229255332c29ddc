package clitools

import (
	"strings"

	"github.com/helve-dev/helve/tool"
)

// policy decides whether a program may run.
type policy string

const (
	allowed policy = "allowed"
	prompt  policy = "prompt"
	blocked policy = "blocked"
)

// The risks from which the next policy applies.
const (
	promptFrom = 40
	blockFrom  = 80
	// refuseFrom is the risk from which a call is refused because of its arguments.
	refuseFrom = 90
	maxRisk    = 100
)

// rule returns the policy of a program: the operator's, or the default for its risk.
func (p *program) rule() policy {
	switch {
	case p.broken != "":
		return blocked
	case p.policy != "":
		return p.policy
	case p.risk >= blockFrom:
		return blocked
	case p.risk >= promptFrom:
		return prompt
	}
	return allowed
}

// level names a risk.
func level(risk int) string {
	switch {
	case risk >= blockFrom:
		return "high"
	case risk >= promptFrom:
		return "medium"
	}
	return "low"
}

// permit refuses a call that the policy or the arguments forbid, and returns its risk.
func (p *program) permit(args []string) (risk int, err error) {
	risk, why := p.riskOf(args)
	switch {
	case p.broken != "":
		return risk, tool.Fail(tool.PolicyDenied,
			"The CLI tool '%s' is blocked because its entry in the service 'cli_tools' has a %s that cannot be read; the operator can mend it.",
			p.name, p.broken)
	case p.rule() == blocked:
		return risk, tool.Fail(tool.PolicyDenied,
			"The CLI tool '%s' is blocked; the operator can allow it by an entry of that label with policy=allowed or policy=prompt in the "+
				"service 'cli_tools'.",
			p.name)
	case risk >= refuseFrom && p.policy != allowed:
		return risk, tool.Fail(tool.PolicyDenied,
			"These arguments of '%s' come to a risk of %d of 100 (%s) and are refused; do without them, or ask the operator to set "+
				"policy=allowed for it.",
			p.name, risk, strings.Join(why, "; "))
	}
	return risk, nil
}
