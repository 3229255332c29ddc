package policy

import (
	"iter"
	"slices"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
)

// ruleSet is the rules in force, in the order of their files. It is immutable.
type ruleSet struct {
	rules []*rule
	byID  map[cedar.PolicyID]*rule
	// index finds a rule by the resource of its head, then by the principal. The zero
	// entity is the key of heads that name none.
	index map[types.EntityUID]map[types.EntityUID][]int
	// readAll and readNames are the arguments that the rules read.
	readAll   bool
	readNames map[string]bool
	// files and sum identify the sources of the rules.
	files []string
	sum   string
}

func newRuleSet(rules []*rule) *ruleSet {
	s := &ruleSet{
		rules:     rules,
		byID:      make(map[cedar.PolicyID]*rule, len(rules)),
		index:     map[types.EntityUID]map[types.EntityUID][]int{},
		readNames: map[string]bool{},
	}
	for i, r := range rules {
		s.byID[cedar.PolicyID(r.id)] = r
		if s.index[r.resource] == nil {
			s.index[r.resource] = map[types.EntityUID][]int{}
		}
		s.index[r.resource][r.principal] = append(s.index[r.resource][r.principal], i)
		s.readAll = s.readAll || r.reads.all
		for _, name := range r.reads.names {
			s.readNames[name] = true
		}
	}
	return s
}

// reads reports whether some rule reads the top-level argument name.
func (s *ruleSet) reads(name string) bool { return s.readAll || s.readNames[name] }

// candidates returns the rules whose head matches the request, in order.
func (s *ruleSet) candidates(q *request) candidates {
	var found []int
	find := func(resource types.EntityUID) {
		byPrincipal := s.index[resource]
		if byPrincipal == nil {
			return
		}
		found = append(found, byPrincipal[types.EntityUID{}]...)
		for _, principal := range q.principals {
			found = append(found, byPrincipal[principal]...)
		}
	}
	find(types.EntityUID{})
	for _, resource := range q.resources {
		find(resource)
	}
	slices.Sort(found)
	rules := make(candidates, len(found))
	for i, n := range found {
		rules[i] = s.rules[n]
	}
	return rules
}

type candidates []*rule

// read reports whether a candidate reads arguments.
func (c candidates) read() bool {
	return slices.ContainsFunc(c, func(r *rule) bool { return !r.reads.none() })
}

// of returns the candidates for an action and an effect, as Cedar iterates policies.
func (c candidates) of(action types.EntityUID, permit bool) policies {
	return policies{rules: c, approve: action == approveAction, permit: permit}
}

type policies struct {
	rules           candidates
	approve, permit bool
}

func (p policies) fits(r *rule) bool {
	return r.permit == p.permit && (p.approve && r.approve || !p.approve && r.execute)
}

// empty reports whether there are none.
func (p policies) empty() bool { return !slices.ContainsFunc(p.rules, p.fits) }

// All yields them in order.
func (p policies) All() iter.Seq2[cedar.PolicyID, *cedar.Policy] {
	return func(yield func(cedar.PolicyID, *cedar.Policy) bool) {
		for _, r := range p.rules {
			if p.fits(r) && !yield(cedar.PolicyID(r.id), r.policy) {
				return
			}
		}
	}
}
