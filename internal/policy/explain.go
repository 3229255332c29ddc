package policy

// Explanation is a decision with everything that led to it, for the operator.
type Explanation struct {
	Decision Decision
	// Table is the decision of the table alone.
	Table Decision
	// At is the position of the deciding rule, as file:line:column; empty if the table
	// decided.
	At string
	// Rules are those that match the call or failed on it, even if they did not decide.
	Rules []RuleFinding
}

// RuleFinding is one rule that matches a call or failed on it.
type RuleFinding struct {
	Rule, At string
	// Effect is permit or forbid, Action execute or auto_approve.
	Effect, Action string
	// Error is the reason why the rule could not be evaluated. It may quote arguments.
	Error string
}

// Explain decides as [Policy.Decide] does, and returns the rules that contributed.
func (p *Policy) Explain(in Input) Explanation {
	d, by, f := p.decide(in)
	e := Explanation{Decision: d}
	if in.Tool != nil {
		e.Table = Table(p.profile(in.Tenant), in.Tool, in.Mutates)
	}
	if by != nil {
		e.At = by.at()
	}
	for _, list := range []struct {
		rules  []*rule
		action string
	}{{f.forbid, "execute"}, {f.narrow, "execute"}, {f.ask, "auto_approve"}, {f.approve, "auto_approve"}} {
		for _, r := range list.rules {
			e.Rules = append(e.Rules, r.finding(list.action, ""))
		}
	}
	for _, failed := range f.failed {
		e.Rules = append(e.Rules, failed.rule.finding(string(failed.action.ID), failed.why))
	}
	return e
}

func (r *rule) finding(action, why string) RuleFinding {
	return RuleFinding{Rule: r.id, At: r.at(), Effect: r.effectName(), Action: action, Error: why}
}

func (r *rule) effectName() string {
	if r.permit {
		return "permit"
	}
	return "forbid"
}
