package policy

import (
	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
)

// reads says which top-level arguments a rule looks at: those named, or all. It
// may say more than what is read, never less.
type reads struct {
	all   bool
	names []string
}

func (r *reads) none() bool { return !r.all && len(r.names) == 0 }

// add finds context.arguments in an expression. Followed by a name it reads
// that name; standing alone, as the context itself would, it reads everything.
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

// step reads X.name (access) or `X has name`, and reports whether X is still to
// be looked at.
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
