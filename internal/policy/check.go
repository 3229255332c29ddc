package policy

import (
	"fmt"
	"slices"

	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
	"github.com/cedar-policy/cedar-go/x/exp/eval"
)

// checker finds expressions in a rule that could never match, and the arguments it
// reads. Cedar itself would accept User::"anna" or resource.title silently: the first
// never matches, the second fails in the middle of a call.
type checker struct {
	at       string
	problems []error
	reads    reads
}

func (c *checker) addf(format string, args ...any) {
	c.problems = append(c.problems, &problem{at: c.at, text: fmt.Sprintf(format, args...)})
}

// actions returns the actions that a head names.
func (c *checker) actions(scope ast.IsActionScopeNode) (execute, approve bool) {
	var named []types.EntityUID
	switch s := scope.(type) {
	case ast.ScopeTypeAll:
		return true, true
	case ast.ScopeTypeEq:
		named = []types.EntityUID{s.Entity}
	case ast.ScopeTypeIn:
		named = []types.EntityUID{s.Entity}
	case ast.ScopeTypeInSet:
		named = s.Entities
	}
	if len(named) == 0 {
		c.addf("the rule names no action")
	}
	for _, uid := range named {
		c.fits("action", "in", uid)
	}
	return slices.Contains(named, executeAction), slices.Contains(named, approveAction)
}

// head checks the principal or resource of a head and returns the entity by which the
// index finds the rule.
func (c *checker) head(name types.String, scope ast.IsScopeNode) types.EntityUID {
	switch s := scope.(type) {
	case ast.ScopeTypeEq:
		c.fits(name, "==", s.Entity)
		return s.Entity
	case ast.ScopeTypeIn:
		c.fits(name, "in", s.Entity)
		return s.Entity
	case ast.ScopeTypeIs:
		c.is(name, s.Type)
	case ast.ScopeTypeIsIn:
		c.is(name, s.Type)
		c.fits(name, "in", s.Entity)
		return s.Entity
	default:
	}
	return types.EntityUID{}
}

// condition checks an expression.
func (c *checker) condition(n ast.IsNode) {
	c.reads.add(n)
	ast.Inspect(ast.NewNode(n), func(n ast.IsNode) bool {
		switch n := n.(type) {
		case ast.NodeValue:
			if uid, ok := n.Value.(types.EntityUID); ok {
				c.entity(uid)
			}
		case ast.NodeTypeEquals:
			c.compare(n.Left, "==", n.Right)
		case ast.NodeTypeNotEquals:
			c.compare(n.Left, "==", n.Right)
		case ast.NodeTypeIn:
			c.compare(n.Left, "in", n.Right)
		case ast.NodeTypeIsIn:
			c.compare(n.Left, "in", n.Entity)
			c.isNode(n.NodeTypeIs)
		case ast.NodeTypeIs:
			c.isNode(n)
		case ast.NodeTypeAccess:
			c.attribute(n.StrOpNode)
		case ast.NodeTypeHas:
			c.attribute(n.StrOpNode)
		case ast.NodeTypeExtensionCall:
			c.literal(n)
		default:
		}
		return true
	})
}

// entity checks a type and the form of its ID.
func (c *checker) entity(uid types.EntityUID) bool {
	kind, known := ids[uid.Type]
	switch {
	case !known:
		c.addf("there is no entity type %s; use Caller, Tenant, User, Agent, Tool, Group, Category, Risk or Action", uid.Type)
	case !kind.fits(string(uid.ID)):
		c.addf("%s names nothing; write %s", uid, kind.want)
	default:
		return true
	}
	return false
}

// fits checks an entity of a rule's head.
func (c *checker) fits(name types.String, op string, uid types.EntityUID) {
	if c.entity(uid) {
		c.place(name, op, uid)
	}
}

// place checks that a variable can equal, or be in, an entity of this type.
func (c *checker) place(name types.String, op string, uid types.EntityUID) {
	v := variables[name]
	switch {
	case op == "in" && !slices.Contains(v.within, uid.Type):
		c.addf("%s is never in a %s; it is in %v", name, uid.Type, v.within)
	case op == "==" && !slices.Contains(v.is, uid.Type):
		c.addf("%s is a %s, which never equals a %s; write %s in %s", name, v.is[0], uid.Type, name, uid)
	}
}

// compare checks `principal == …` and its like within a condition.
func (c *checker) compare(left ast.IsNode, op string, right ast.IsNode) {
	v, ok := left.(ast.NodeTypeVariable)
	if !ok || v.Name == "context" {
		return
	}
	elements := []ast.IsNode{right}
	if set, ok := right.(ast.NodeTypeSet); ok && op == "in" {
		elements = set.Elements
	}
	for _, e := range elements {
		if value, ok := e.(ast.NodeValue); ok {
			if uid, ok := value.Value.(types.EntityUID); ok && ids[uid.Type].fits != nil {
				c.place(v.Name, op, uid)
			}
		}
	}
}

func (c *checker) isNode(n ast.NodeTypeIs) {
	if v, ok := n.Left.(ast.NodeTypeVariable); ok {
		c.is(v.Name, n.EntityType)
	}
}

func (c *checker) is(name types.String, t types.EntityType) {
	if v := variables[name]; !slices.Contains(v.is, t) {
		c.addf("%s is never a %s; it is a %v", name, t, v.is)
	}
}

// attribute checks `resource.name`, `context has hour` and their like.
func (c *checker) attribute(n ast.StrOpNode) {
	if v, ok := n.Arg.(ast.NodeTypeVariable); ok && !slices.Contains(variables[v.Name].attributes, n.Value) {
		c.addf("%s has no attribute %s; it has %v", v.Name, n.Value, variables[v.Name].attributes)
	}
}

// literal evaluates a call such as datetime("…") on a literal: a call that fails now
// would refuse every call later.
func (c *checker) literal(n ast.NodeTypeExtensionCall) {
	for _, arg := range n.Args {
		if _, ok := arg.(ast.NodeValue); !ok {
			return
		}
	}
	if _, err := eval.Eval(n, eval.Env{}); err != nil {
		c.addf("%s(…) cannot be evaluated: %v", n.Name, err)
	}
}
