package policy

import (
	"fmt"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"

	"github.com/helve-dev/helve/tool"
)

// findings are the rules that matched a call, each list in order.
type findings struct {
	forbid, ask, approve, narrow []*rule
	failed                       []failure
}

// failure is a rule that could not be evaluated.
type failure struct {
	rule   *rule
	action types.EntityUID
	why    string
}

// consult evaluates the rules that may concern the call.
func (s *ruleSet) consult(in Input) (findings, error) {
	if len(s.rules) == 0 {
		return findings{}, nil
	}
	q := newRequest(in)
	rules := s.candidates(q)
	if len(rules) == 0 {
		return findings{}, nil
	}
	var args types.Record
	if rules.read() {
		var err error
		if args, err = arguments(in.Arguments, s.reads); err != nil {
			return findings{}, err
		}
	}
	var f findings
	req := q.cedar(args)
	matching := func(action types.EntityUID, permit bool) []*rule {
		picked := rules.of(action, permit)
		if picked.empty() {
			return nil
		}
		req.Action = action
		_, found := cedar.Authorize(picked, q, req)
		matched := make([]*rule, len(found.Reasons))
		for i, r := range found.Reasons {
			matched[i] = s.byID[r.PolicyID]
		}
		for _, e := range found.Errors {
			f.failed = append(f.failed, failure{s.byID[e.PolicyID], action, e.Message})
		}
		return matched
	}
	f.forbid = matching(executeAction, false)
	f.narrow = matching(executeAction, true)
	f.ask = matching(approveAction, false)
	f.approve = matching(approveAction, true)
	return f, nil
}

// overrule applies the rules to the decision of the table. It returns the deciding
// rule; nil means the table.
func (f *findings) overrule(d Decision) (Decision, *rule) {
	if len(f.forbid) > 0 {
		r := f.forbid[0]
		return refuse(r.id, r.sentence("The rule %q forbids this call.")), r
	}
	if len(f.failed) > 0 {
		r := f.failed[0].rule
		return refuse(r.id,
			fmt.Sprintf("The rule %q could not be evaluated for this call, so it is refused; ask the operator to mend the rule.", r.id)), r
	}
	for _, r := range f.narrow {
		d.Narrow = narrowed(d.Narrow, r)
	}
	if len(f.ask) > 0 {
		r := f.ask[0]
		d.Outcome, d.Rule, d.Reason = Ask, r.id, r.sentence("The rule %q wants a person's yes for this call.")
		return d, r
	}
	if d.Outcome != Ask {
		return d, nil
	}
	for _, r := range f.approve {
		if !d.Strong || r.allowHigh {
			d.Outcome, d.Rule, d.Reason, d.Strong = Run, r.id, r.sentence("The rule %q approves this call beforehand."), false
			d.Narrow = narrowed(d.Narrow, r)
			return d, r
		}
	}
	return d, nil
}

func narrowed(list []tool.Scopes, r *rule) []tool.Scopes {
	if r.narrow == nil {
		return list
	}
	return append(list, *r.narrow)
}
