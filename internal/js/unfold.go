package js

import (
	"reflect"

	"github.com/dop251/goja/ast"
)

// unfold keeps goja from computing constants while it compiles, where nothing
// can interrupt it: 9n**9n**9n would not end, and 0||0||0… doubles the time
// with each operand. An operation is computed ahead if its operands are
// constant, and a sequence of expressions never is, even of a single one: so
// every left operand that may be constant becomes a sequence.
func unfold(tree *ast.Program) {
	for _, s := range tree.Body {
		visit(reflect.ValueOf(s))
	}
}

// visit walks all nodes below v. How deep it recurses was bounded before the
// source was parsed.
func visit(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // nodes are made of nothing else
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
			// Declarations are listed once more beside the statements.
			if f := v.Type().Field(i); f.IsExported() && f.Name != "DeclarationList" {
				visit(v.Field(i))
			}
		}
	}
}

func defuse(b *ast.BinaryExpression) {
	switch b.Left.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral, *ast.UnaryExpression:
		b.Left = &ast.SequenceExpression{Sequence: []ast.Expression{b.Left}}
	}
}
