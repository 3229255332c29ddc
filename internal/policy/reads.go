package policy

import (
	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
)

// reads is the set of top-level arguments that a rule reads: names, or all. It may
// contain more than what is read, never less.
type reads struct {
	all   bool
	names []string
}

func (r *reads) none() bool { return !r.all && len(r.names) == 0 }

// add finds context.arguments in an expression. Followed by a name it reads that name;
// alone, or as the context itself, it reads everything.
func (r *reads) add(n ast.IsNode) {
	ast.Inspect(ast.NewNode(n), func(n ast.IsNode) bool {
		switch n := n.(type) {
		case ast.NodeTypeAccess:
			return r.step(n.StrOpNode, true)
		case ast.NodeTypeHas:
			return r.step(n.StrOpNode, false)
		case ast.NodeTypeVariable:
			r.all = r.all || n.Name == "context"
		default:
		}
		return true
	})
}

// step handles X.name (access) or `X has name`, and reports whether X must still be
// examined.
func (r *reads) step(n ast.StrOpNode, access bool) bool {
	if isContext(n.Arg) {
		r.all = r.all || access && n.Value == "arguments"
		return false
	}
	if inner, ok := n.Arg.(ast.NodeTypeAccess); ok && isContext(inner.Arg) {
		if inner.Value == "arguments" {
			r.names = append(r.names, string(n.Value))
		}
		return false
	}
	return true
}

func isContext(n ast.IsNode) bool {
	v, ok := n.(ast.NodeTypeVariable)
	return ok && v.Name == types.String("context")
}
