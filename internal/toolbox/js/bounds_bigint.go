package js

import (
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// mostBits is the maximum size of a BigInt result: 8 MB, which already takes a while.
const mostBits = 64 << 20

// growing lists the operators whose result can be much larger than both operands.
var growing = []token.Token{token.EXPONENT, token.SHIFT_LEFT, token.SHIFT_RIGHT}

// findings holds what a tree names that may allocate a lot.
type findings struct {
	names  []string
	bigInt bool
	// lengths is set if the length of an array may be set, by name or through an index.
	lengths bool
}

// boundTree finds what a tree names and what else it may reach. Where there may be
// BigInts it replaces operators that make them grow by calls of checked functions.
func boundTree(tree *ast.Program) (names []string, may reach) {
	var f findings
	walk(reflect.ValueOf(tree.Body), f.look)
	may = reachOf(tree, f.names)
	if f.bigInt || may == anyhow {
		boundOperators(tree)
	} else if slices.Contains(f.names, "join") {
		walk(reflect.ValueOf(tree.Body), boundArray)
	}
	if f.lengths || may != shown {
		walk(reflect.ValueOf(tree.Body), boundSpread)
	}
	return f.names, may
}

// boundOperators replaces operators in a tree, and checks the lengths of arrays that it
// creates.
func boundOperators(tree *ast.Program) {
	walk(reflect.ValueOf(tree.Body), boundOperator)
	walk(reflect.ValueOf(tree.Body), boundArray)
}

// boundSpread wraps the operand of a spread into a list with a length check, if the
// node in v is a list with one.
func boundSpread(v reflect.Value) {
	var list []ast.Expression
	switch n := v.Interface().(type) {
	case *ast.CallExpression:
		list = n.ArgumentList
	case *ast.NewExpression:
		list = n.ArgumentList
	case *ast.ArrayLiteral:
		list = n.Value
	}
	for _, e := range list {
		if s, ok := e.(*ast.SpreadElement); ok {
			s.Expression = &ast.CallExpression{
				Callee: &ast.Identifier{Name: spreadList, Idx: s.Expression.Idx0()}, LeftParenthesis: s.Expression.Idx0(),
				ArgumentList: []ast.Expression{s.Expression}, RightParenthesis: s.Expression.Idx1(),
			}
		}
	}
}

// arrayLength is the name of the function that checks the length of a new array; no
// source can contain it.
const arrayLength = "%array length"

// boundArray wraps the argument of Array(n) with a length check, if the node in v is
// such a call.
func boundArray(v reflect.Value) {
	var args []ast.Expression
	switch n := v.Interface().(type) {
	case *ast.CallExpression:
		if madeArray(n.Callee, n.ArgumentList) != "" {
			args = n.ArgumentList
		}
	case *ast.NewExpression:
		if madeArray(n.Callee, n.ArgumentList) != "" {
			args = n.ArgumentList
		}
	}
	if len(args) != 1 {
		return
	}
	switch arg := args[0].(type) {
	case *ast.NumberLiteral:
		if n, whole := arg.Value.(int64); whole && n <= mostElements {
			return
		}
	case *ast.SpreadElement:
		return
	}
	args[0] = &ast.CallExpression{
		Callee: &ast.Identifier{Name: arrayLength, Idx: args[0].Idx0()}, LeftParenthesis: args[0].Idx0(),
		ArgumentList: []ast.Expression{args[0]}, RightParenthesis: args[0].Idx1(),
	}
}

// checkedLength returns the length of a new array, or throws.
func (r *realm) checkedLength(call goja.FunctionCall) goja.Value {
	n := call.Argument(0)
	if _, object := n.(*goja.Object); !object && goja.IsNumber(n) && n.ToFloat() > mostElements {
		r.tooMuch("an array of this length")
	}
	return n
}

// walk calls f for every interface-typed node below v, from the outside in.
func walk(v reflect.Value, f func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			f(v)
			walk(v.Elem(), f)
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*big.Int]() {
			walk(v.Elem(), f)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				walk(v.Index(i), f)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && field.Name != "DeclarationList" && field.Name != "File" {
				walk(v.Field(i), f)
			}
		}
	default: // nodes are made of nothing else
	}
}

func (f *findings) look(v reflect.Value) {
	var name unistring.String
	switch n := v.Interface().(type) {
	case *ast.DotExpression:
		name = n.Identifier.Name
	case *ast.Identifier:
		name = n.Name
	case *ast.StringLiteral:
		name = n.Value // x["repeat"]
	case *ast.PropertyShort:
		name = n.Name.Name // const {repeat} = x
	case *ast.AssignExpression:
		switch left := n.Left.(type) {
		case *ast.DotExpression:
			if left.Identifier.Name == "length" {
				name, f.lengths = "join", true // for which the method that converts an array to text is used
			}
		case *ast.BracketExpression:
			f.lengths = true
		}
	case *ast.NewExpression:
		name = madeArray(n.Callee, n.ArgumentList)
	case *ast.CallExpression:
		name = madeArray(n.Callee, n.ArgumentList)
	case *ast.NumberLiteral:
		if _, ok := n.Value.(*big.Int); ok {
			f.bigInt = true
		}
	}
	f.bigInt = f.bigInt || name == "BigInt"
	if s := string(name); isAllocator(s) && !slices.Contains(f.names, s) {
		f.names = append(f.names, s)
	}
}

// madeArray returns the name of the method that converts an array to text, for an
// expression that creates an array by length.
func madeArray(callee ast.Expression, args []ast.Expression) unistring.String {
	if id, ok := callee.(*ast.Identifier); ok && id.Name == "Array" && len(args) == 1 {
		return "join"
	}
	return ""
}

// boundOperator replaces the node in v if it is such an operator.
func boundOperator(v reflect.Value) {
	switch n := v.Interface().(type) {
	case *ast.BinaryExpression:
		if slices.Contains(growing, n.Operator) && v.CanSet() {
			v.Set(reflect.ValueOf(checkedCall(n.Operator, n.Left, n.Right)))
		}
	case *ast.AssignExpression:
		if left, ok := n.Left.(*ast.Identifier); ok && slices.Contains(growing, n.Operator) {
			n.Right = checkedCall(n.Operator, left, n.Right)
			n.Operator = token.ASSIGN
		}
	}
}

func checkedCall(op token.Token, left, right ast.Expression) *ast.CallExpression {
	return &ast.CallExpression{
		Callee:           &ast.Identifier{Name: unistring.String(bigIntPrefix + op.String()), Idx: left.Idx0()},
		LeftParenthesis:  left.Idx0(),
		ArgumentList:     []ast.Expression{left, right},
		RightParenthesis: right.Idx1(),
	}
}

// bigIntOperator creates the function that replaces an operator.
func (r *realm) bigIntOperator(name string) goja.Value {
	op := strings.TrimPrefix(name, bigIntPrefix)
	if !slices.Contains([]string{"**", "<<", ">>"}, op) {
		return nil
	}
	v, err := r.vm.RunString("(a, b) => a " + op + " b")
	if err != nil {
		return nil
	}
	original, ok := goja.AssertFunction(v)
	if !ok {
		return nil
	}
	return r.function("", func(call goja.FunctionCall) goja.Value {
		a, first := call.Argument(0).Export().(*big.Int)
		b, second := call.Argument(1).Export().(*big.Int)
		if first && second && !bigIntFits(op, a, b) {
			r.tooMuch("the BigInt that " + op + " makes")
		}
		return r.passOn(original(goja.Undefined(), call.Arguments...))
	})
}

// bigIntFits reports whether the result has at most mostBits.
func bigIntFits(op string, a, b *big.Int) bool {
	if op == ">>" {
		op, b = "<<", new(big.Int).Neg(b)
	}
	if a.Sign() == 0 || b.Sign() <= 0 || op == "**" && a.IsInt64() && (a.Int64() == 1 || a.Int64() == -1) {
		return true
	}
	if !b.IsInt64() || b.Int64() > mostBits {
		return false
	}
	bits := int64(a.BitLen())
	if op == "**" {
		return bits <= mostBits/b.Int64()
	}
	return bits+b.Int64() <= mostBits
}
