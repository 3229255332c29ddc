package js

import "github.com/dop251/goja/ast"

// DurableBody returns the body of a durable tool that runs a function of an operator's file, which
// gets the arguments, tools and program.
func DurableBody(source, function string) string {
	return source + "\nreturn " + function + "(" + argsName + ", " + toolsName + ", " + programName + ");"
}

const (
	argsName    = "args"
	programName = "program"
)

// entryOf returns the function of a file that gets tools from the last statement of the body, in a
// parameter of that name; nil if there is none.
func entryOf(body *ast.BlockStatement) any {
	if len(body.List) == 0 {
		return nil
	}
	last, ok := body.List[len(body.List)-1].(*ast.ReturnStatement)
	if !ok {
		return nil
	}
	call, ok := last.Argument.(*ast.CallExpression)
	if !ok || len(call.ArgumentList) != 3 || !isName(call.ArgumentList[1], toolsName) {
		return nil
	}
	name, ok := call.Callee.(*ast.Identifier)
	if !ok {
		return nil
	}
	for _, s := range body.List {
		if f := declared(s, string(name.Name)); f != nil {
			return f
		}
	}
	return nil
}

// declared returns the function that a statement declares under a name and whose second parameter
// is tools; nil if it declares none.
func declared(s ast.Statement, name string) any {
	var list []*ast.Binding
	switch s := s.(type) {
	case *ast.FunctionDeclaration:
		if string(s.Function.Name.Name) == name && getsTools(s.Function.ParameterList) {
			return s.Function
		}
	case *ast.LexicalDeclaration:
		list = s.List
	case *ast.VariableStatement:
		list = s.List
	}
	for _, b := range list {
		if !isName(b.Target, name) {
			continue
		}
		switch f := b.Initializer.(type) {
		case *ast.FunctionLiteral:
			if getsTools(f.ParameterList) {
				return f
			}
		case *ast.ArrowFunctionLiteral:
			if getsTools(f.ParameterList) {
				return f
			}
		}
	}
	return nil
}

func getsTools(list *ast.ParameterList) bool {
	return len(list.List) > 1 && isName(list.List[1].Target, toolsName)
}

func isName(n any, name string) bool {
	id, ok := n.(*ast.Identifier)
	return ok && string(id.Name) == name
}

// keepsTools reports whether the function that gets tools keeps that name for them.
func keepsTools(f any) bool {
	switch f := f.(type) {
	case *ast.FunctionLiteral:
		return !declaresTools(f.DeclarationList)
	case *ast.ArrowFunctionLiteral:
		return !declaresTools(f.DeclarationList)
	}
	return false
}
