package js

import (
	"reflect"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// reach is the way in which a program may obtain functions that allocate by a number.
type reach int

const (
	// shown: only by their names, which the source shows.
	shown reach = iota
	// computed: also as properties whose names are computed at run time, as in x[key].
	computed
	// anyhow: also through generated code, or the global object.
	anyhow
)

// ways lists names through which a program obtains functions that its source does not
// show.
var ways = []string{
	"eval", "Function", "constructor", "globalThis", "Reflect", "Proxy", "__proto__", "__lookupGetter__",
	"getOwnPropertyDescriptor", "getOwnPropertyDescriptors", "getOwnPropertyNames", "getPrototypeOf",
}

// bytesOf lists names that give a script an object whose constructor creates buffers,
// or methods that it can call on other objects.
var bytesOf = []string{
	"prototype", "call", "apply", "TextEncoder", "arrayBuffer", "bytes", "crypto", "DataView", "BigInt64Array", "BigUint64Array",
	"getBigInt64", "getBigUint64",
}

// reachOf returns how a program may obtain the functions. Array indexes do not matter,
// as far as the source shows that they are numbers.
func reachOf(tree *ast.Program, names []string) reach {
	s := reachSurvey{numbers: numbersIn(tree)}
	s.visit(reflect.ValueOf(tree.Body), false)
	if s.found == computed && slices.ContainsFunc(names, func(name string) bool { return buffers[name] > 0 }) {
		return anyhow
	}
	return s.found
}

// reachSurvey searches a tree for computed properties and for ways.
type reachSurvey struct {
	numbers map[string]bool
	found   reach
	bytes   bool
}

func (s *reachSurvey) atLeast(r reach) { s.found = max(s.found, r) }

// visit examines all nodes below v. Within a class, this is never the global object.
func (s *reachSurvey) visit(v reflect.Value, class bool) {
	eachNode(v, func(n any) (below bool) {
		switch n := n.(type) {
		case *ast.ClassLiteral:
			if !class {
				s.visit(reflect.ValueOf(n).Elem(), true)
				return false
			}
		case *ast.ThisExpression:
			if !class {
				s.atLeast(anyhow)
			}
		case *ast.WithStatement:
			s.atLeast(anyhow)
		case *ast.BracketExpression:
			s.key(n.Member)
		case *ast.PropertyKeyed:
			if n.Computed {
				s.key(n.Key)
			}
		case *ast.DotExpression:
			s.name(string(n.Identifier.Name))
		case *ast.Identifier:
			s.name(string(n.Name))
		case *ast.PropertyShort:
			s.name(string(n.Name.Name))
		case *ast.StringLiteral:
			s.name(string(n.Value))
		}
		return true
	})
}

func (s *reachSurvey) name(name string) {
	s.bytes = s.bytes || slices.Contains(bytesOf, name)
	if slices.Contains(ways, name) || s.bytes && s.found == computed {
		s.atLeast(anyhow)
	}
}

func (s *reachSurvey) key(key ast.Expression) {
	if _, text := key.(*ast.StringLiteral); text || isNumeric(key, s.numbers) {
		return // a literal is seen as a name
	}
	s.atLeast(computed)
	if s.bytes {
		s.atLeast(anyhow)
	}
}

// eachNode calls f for every node below v, from the outside in, and skips the nodes
// below a node for which f returns false.
func eachNode(v reflect.Value, f func(node any) (below bool)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			eachNode(v.Elem(), f)
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct && v.Elem().Type().PkgPath() == astPath && f(v.Interface()) {
			eachNode(v.Elem(), f)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				eachNode(v.Index(i), f)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && field.Name != "DeclarationList" && field.Name != "File" {
				eachNode(v.Field(i), f)
			}
		}
	default: // nodes are made of nothing else
	}
}

const astPath = "github.com/dop251/goja/ast"

// numbersIn returns the names that are numbers wherever the source declares or assigns
// them, such as a loop index.
func numbersIn(tree *ast.Program) map[string]bool {
	numbers, other := map[string]bool{}, map[string]bool{}
	var writes []func() // each removes names from numbers that may be something else
	lose := func(target any) { addNames(other, target) }
	write := func(target any, is func() bool) {
		id, ok := target.(*ast.Identifier)
		if !ok {
			lose(target)
			return
		}
		numbers[string(id.Name)] = true
		writes = append(writes, func() {
			if !is() {
				other[string(id.Name)] = true
			}
		})
	}
	parameters := func(list *ast.ParameterList) {
		for _, p := range list.List {
			lose(p.Target)
		}
		lose(list.Rest)
	}
	eachNode(reflect.ValueOf(tree.Body), func(n any) bool {
		switch n := n.(type) {
		case *ast.Binding:
			write(n.Target, func() bool { return n.Initializer != nil && isNumeric(n.Initializer, numbers) })
		case *ast.AssignExpression:
			if !slices.Contains(arithmetic, n.Operator) {
				write(n.Left, func() bool {
					return (n.Operator == token.ASSIGN || n.Operator == token.PLUS) && isNumeric(n.Right, numbers)
				})
			}
		case *ast.FunctionLiteral:
			parameters(n.ParameterList)
			lose(n.Name)
		case *ast.ArrowFunctionLiteral:
			parameters(n.ParameterList)
		case *ast.ClassLiteral:
			lose(n.Name)
		case *ast.ForInStatement:
			lose(n.Into)
		case *ast.ForOfStatement:
			lose(n.Into)
		case *ast.CatchStatement:
			lose(n.Parameter)
		}
		return true
	})
	for known := -1; known != len(other); {
		known = len(other)
		for name := range other {
			delete(numbers, name)
		}
		for _, look := range writes {
			look()
		}
	}
	return numbers
}

// addNames adds the names in the target of a declaration or an assignment to names.
func addNames(names map[string]bool, target any) {
	eachNode(reflect.ValueOf(target), func(n any) bool {
		switch n := n.(type) {
		case *ast.Identifier:
			names[string(n.Name)] = true
		case *ast.PropertyShort:
			names[string(n.Name.Name)] = true
		}
		return true
	})
}

// arithmetic lists the operators whose result is a number or a BigInt for any operands.
var arithmetic = []token.Token{
	token.MINUS, token.MULTIPLY, token.SLASH, token.REMAINDER, token.EXPONENT, token.AND, token.OR, token.EXCLUSIVE_OR,
	token.SHIFT_LEFT, token.SHIFT_RIGHT, token.UNSIGNED_SHIFT_RIGHT,
}

// isNumeric reports whether an expression is visibly a number.
func isNumeric(e ast.Expression, numbers map[string]bool) bool {
	switch e := e.(type) {
	case *ast.NumberLiteral:
		return true
	case *ast.Identifier:
		return numbers[string(e.Name)]
	case *ast.UnaryExpression:
		return slices.Contains([]token.Token{token.MINUS, token.PLUS, token.BITWISE_NOT, token.INCREMENT, token.DECREMENT}, e.Operator)
	case *ast.BinaryExpression:
		return slices.Contains(arithmetic, e.Operator) || e.Operator == token.PLUS && isNumeric(e.Left, numbers) && isNumeric(e.Right, numbers)
	case *ast.AssignExpression:
		return slices.Contains(arithmetic, e.Operator)
	case *ast.ConditionalExpression:
		return isNumeric(e.Consequent, numbers) && isNumeric(e.Alternate, numbers)
	}
	return false
}
