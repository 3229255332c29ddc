package js

import (
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// survey holds the names in a body. Scopes are not distinguished: a name that is
// declared anywhere counts as declared everywhere, so that no valid code is refused.
type survey struct {
	order    []string // names by their first position
	first    map[string]file.Idx
	count    map[string]int
	declared map[string]bool
	guarded  map[string]bool // checked with typeof
	members  []member
}

// member is a property that is read from a name.
type member struct {
	of, name string
	at       file.Idx
}

func surveyOf(root any) *survey {
	s := &survey{first: map[string]file.Idx{}, count: map[string]int{}, declared: map[string]bool{}, guarded: map[string]bool{}}
	s.walk(reflect.ValueOf(root))
	return s
}

// walk visits all nodes below v. The depth was limited before the source was parsed.
func (s *survey) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		s.walk(v.Elem())
	case reflect.Pointer:
		if !v.IsNil() && !s.node(v.Interface()) {
			s.walk(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			s.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "DeclarationList" {
				s.walk(v.Field(i))
			}
		}
	default: // nodes are made of nothing else
	}
}

// below visits nodes that may be nil.
func (s *survey) below(nodes ...any) {
	for _, n := range nodes {
		if n != nil {
			s.walk(reflect.ValueOf(n))
		}
	}
}

// node records the names of a node, and reports whether all nodes below it were
// visited.
func (s *survey) node(n any) bool {
	switch n := n.(type) {
	case *ast.Identifier:
		s.use(string(n.Name), n.Idx)
		return true
	case *ast.PropertyShort:
		s.use(string(n.Name.Name), n.Name.Idx)
		s.below(n.Initializer)
		return true
	case *ast.DotExpression:
		if of, ok := n.Left.(*ast.Identifier); ok {
			s.members = append(s.members, member{string(of.Name), string(n.Identifier.Name), n.Identifier.Idx})
		}
		s.below(n.Left)
		return true
	case *ast.PropertyKeyed:
		if n.Computed {
			s.below(n.Key)
		}
		s.below(n.Value)
		return true
	case *ast.MethodDefinition:
		if n.Computed {
			s.below(n.Key)
		}
		s.below(n.Body)
		return true
	case *ast.FieldDefinition:
		if n.Computed {
			s.below(n.Key)
		}
		s.below(n.Initializer)
		return true
	case *ast.LabelledStatement:
		s.below(n.Statement)
		return true
	case *ast.BranchStatement, *ast.MetaProperty:
		return true
	case *ast.UnaryExpression:
		if of, ok := n.Operand.(*ast.Identifier); ok && n.Operator.String() == "typeof" {
			s.guarded[string(of.Name)] = true
		}
	default:
		s.declares(n)
	}
	return false
}

// declares records the names that a node declares.
func (s *survey) declares(n any) {
	switch n := n.(type) {
	case *ast.Binding:
		bindTarget(s.declared, n.Target)
	case *ast.ForDeclaration:
		bindTarget(s.declared, n.Target)
	case *ast.CatchStatement:
		if n.Parameter != nil {
			bindTarget(s.declared, n.Parameter)
		}
	case *ast.ParameterList:
		if n.Rest != nil {
			bindTarget(s.declared, n.Rest)
		}
	case *ast.AssignExpression:
		bindTarget(s.declared, n.Left)
	case *ast.FunctionLiteral:
		if n.Name != nil {
			s.declared[string(n.Name.Name)] = true
		}
	case *ast.ClassLiteral:
		if n.Name != nil {
			s.declared[string(n.Name.Name)] = true
		}
	}
}

func (s *survey) use(name string, at file.Idx) {
	if s.count[name] == 0 {
		s.order = append(s.order, name)
		s.first[name] = at
	}
	s.count[name]++
}
