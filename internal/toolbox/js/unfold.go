package js

import (
	"reflect"

	"github.com/dop251/goja/ast"
)

// unfold prevents goja from computing constants while it compiles, where it cannot be
// interrupted: 9n**9n**9n would not end, and 0||0||0… doubles the time with each
// operand. goja computes an operation in advance if its operands are constant, and
// never a sequence of expressions, even of a single one: so unfold turns every left
// operand that may be constant into a sequence.
func unfold(tree *ast.Program) {
	for _, s := range tree.Body {
		visit(reflect.ValueOf(s))
	}
}

// visit visits all nodes below v. The depth was limited before the source was parsed.
func visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		visit(v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if b, ok := reflect.TypeAssert[*ast.BinaryExpression](v); ok {
			defuse(b)
		}
		visit(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			visit(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			// Declarations are also listed separately from the statements.
			if f := v.Type().Field(i); f.IsExported() && f.Name != "DeclarationList" {
				visit(v.Field(i))
			}
		}
	default: // nodes are made of nothing else
	}
}

func defuse(b *ast.BinaryExpression) {
	switch b.Left.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral, *ast.UnaryExpression:
		b.Left = &ast.SequenceExpression{Sequence: []ast.Expression{b.Left}}
	}
}
