package js

import "github.com/dop251/goja/ast"

// Defines reports whether an operator's file has a function, variable or class of that
// name at its top level. Other properties of the global object are not seen. For a body
// or a library it returns false.
func (p *Program) Defines(name string) bool { return p.names[name] }

func topLevel(tree *ast.Program) map[string]bool {
	names := map[string]bool{}
	for _, d := range tree.DeclarationList { // every var, also in blocks
		bind(names, d.List)
	}
	for _, s := range tree.Body {
		switch s := s.(type) {
		case *ast.FunctionDeclaration:
			names[string(s.Function.Name.Name)] = true
		case *ast.ClassDeclaration:
			names[string(s.Class.Name.Name)] = true
		case *ast.LexicalDeclaration:
			bind(names, s.List)
		}
	}
	return names
}

func bind(names map[string]bool, list []*ast.Binding) {
	for _, b := range list {
		bindTarget(names, b.Target)
	}
}

// bindTarget records the names that a pattern such as {a, b: [c = 1, ...d]} binds.
func bindTarget(names map[string]bool, target ast.Expression) {
	switch t := target.(type) {
	case *ast.Identifier:
		names[string(t.Name)] = true
	case *ast.Binding:
		bindTarget(names, t.Target)
	case *ast.AssignExpression:
		bindTarget(names, t.Left)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			bindTarget(names, e)
		}
		bindTarget(names, t.Rest)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				names[string(p.Name.Name)] = true
			case *ast.PropertyKeyed:
				bindTarget(names, p.Value)
			}
		}
		bindTarget(names, t.Rest)
	}
}
