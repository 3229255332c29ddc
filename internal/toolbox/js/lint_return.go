package js

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// unreturned reports functions whose result is unused in a body that returns nothing
// itself: models write a function as for other platforms, and forget to call it or to
// return its result.
func (l *linter) unreturned(body []ast.Statement) {
	if hasReturn(body) {
		return
	}
	own := functionsOf(body)
	for _, f := range own {
		if f.returns && l.survey.count[f.name] == 1 {
			l.addf(f.at, "the function '%s' is defined and never called, so the tool returns nothing; end the code with: return await %s(args)",
				f.name, f.name)
		}
	}
	if len(body) == 0 {
		return
	}
	last, ok := body[len(body)-1].(*ast.ExpressionStatement)
	if !ok {
		return
	}
	value := last.Expression
	if await, ok := value.(*ast.AwaitExpression); ok {
		value = await.Argument
	}
	if returnsValue(value) {
		l.addf(last.Idx0(), "the code is a function that is never called; give only its body, or call it: return await (…)(args)")
		return
	}
	call, ok := value.(*ast.CallExpression)
	if !ok {
		return
	}
	if returnsValue(call.Callee) {
		l.addf(last.Idx0(), "what the function returns is not returned; put return before it")
	}
	if callee, ok := call.Callee.(*ast.Identifier); ok {
		for _, f := range own {
			if f.returns && f.name == string(callee.Name) {
				l.addf(last.Idx0(), "what '%s' returns is not returned; write: return await %s(…)", f.name, f.name)
			}
		}
	}
}

// named is a function of a body.
type named struct {
	name    string
	at      file.Idx
	returns bool
}

// functionsOf returns the functions that the statements of a body declare.
func functionsOf(body []ast.Statement) []named {
	var all []named
	bindings := func(list []*ast.Binding) {
		for _, b := range list {
			if id, ok := b.Target.(*ast.Identifier); ok && isFunction(b.Initializer) {
				all = append(all, named{string(id.Name), id.Idx, returnsValue(b.Initializer)})
			}
		}
	}
	for _, s := range body {
		switch s := s.(type) {
		case *ast.FunctionDeclaration:
			all = append(all, named{string(s.Function.Name.Name), s.Function.Name.Idx, returnsValue(s.Function)})
		case *ast.LexicalDeclaration:
			bindings(s.List)
		case *ast.VariableStatement:
			bindings(s.List)
		}
	}
	return all
}

func isFunction(e ast.Expression) bool {
	switch e.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		return true
	}
	return false
}

// returnsValue reports whether an expression is a function that returns something.
func returnsValue(e ast.Expression) bool {
	switch f := e.(type) {
	case *ast.FunctionLiteral:
		return hasReturn(f.Body.List)
	case *ast.ArrowFunctionLiteral:
		block, ok := f.Body.(*ast.BlockStatement)
		return !ok || hasReturn(block.List)
	}
	return false
}

// hasReturn reports whether statements return a value, ignoring inner functions.
func hasReturn(list []ast.Statement) bool {
	return slices.ContainsFunc(list, returnsIn)
}

func returnsIn(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.ReturnStatement:
		return s.Argument != nil
	case *ast.BlockStatement:
		return hasReturn(s.List)
	case *ast.IfStatement:
		return returnsIn(s.Consequent) || s.Alternate != nil && returnsIn(s.Alternate)
	case *ast.ForStatement:
		return returnsIn(s.Body)
	case *ast.ForInStatement:
		return returnsIn(s.Body)
	case *ast.ForOfStatement:
		return returnsIn(s.Body)
	case *ast.WhileStatement:
		return returnsIn(s.Body)
	case *ast.DoWhileStatement:
		return returnsIn(s.Body)
	case *ast.LabelledStatement:
		return returnsIn(s.Statement)
	case *ast.WithStatement:
		return returnsIn(s.Body)
	case *ast.TryStatement:
		return hasReturn(s.Body.List) || s.Catch != nil && hasReturn(s.Catch.Body.List) || s.Finally != nil && hasReturn(s.Finally.List)
	case *ast.SwitchStatement:
		for _, c := range s.Body {
			if hasReturn(c.Consequent) {
				return true
			}
		}
	}
	return false
}
