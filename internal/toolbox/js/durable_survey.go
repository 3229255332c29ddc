package js

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/helve-dev/helve/tool"
)

// Use is one call of a tool in the code of a program that names the tool literally.
type Use struct {
	Name string   `json:"name"`
	Keys []string `json:"keys,omitempty"` // the literal names in its argument
	// Open is set if the argument may have other names: it is no object literal, or has a
	// spread or a computed name.
	Open   bool `json:"open,omitempty"`
	Line   int  `json:"line"`
	Column int  `json:"column"`
}

// Bounds of a survey. What is beyond them is found when the program runs.
const (
	MaxUses = 2000
	maxKey  = 100 // bytes
)

// Survey compiles the code of a program, or of a durable tool, and returns the calls in it
// whose tools are named literally, in the order of the code, equal ones once. It follows no
// aliases, and skips code in which the name tools may be that of something else. Names that
// programs do not have, such as fetch, are a validation_error.
func Survey(name, code string, durableTool bool) ([]Use, error) {
	if _, err := CompileDurable(name, code, durableTool); err != nil {
		return nil, err
	}
	return Uses(name, code, durableTool)
}

// Uses is [Survey] of code that compiles.
func Uses(name, code string, durableTool bool) ([]Use, error) {
	head := durableHeadOf(durableTool)
	tree, err := parse(name, head, code)
	if err != nil {
		return nil, err
	}
	f, ok := bodyOf(tree)
	if !ok {
		return nil, nil
	}
	if err := absentNames(tree, f, head); err != nil {
		return nil, err
	}
	u := usage{tree: tree, head: head, uses: []Use{}, entry: entryOf(f.Body)}
	if !u.assigned(f.Body) && !declaresTools(f.DeclarationList) {
		u.visit(f.Body)
	}
	return u.uses, nil
}

// absentNames reports the names of other platforms, unless the code declares them or checks
// whether they exist.
func absentNames(tree *ast.Program, f *ast.FunctionLiteral, head string) error {
	s := surveyOf(f.Body)
	var problems []string
	for _, name := range s.order {
		if why := absentFrom(head, name); why != "" && !s.declared[name] && !s.guarded[name] && len(problems) < maxFindings {
			problems = append(problems, fmt.Sprintf("%s: there is no '%s' here: %s", at(tree, head, s.first[name]), name, why))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return tool.Fail(tool.ValidationError, "%s", strings.Join(problems, "; "))
}

func at(tree *ast.Program, head string, i file.Idx) string { return place(positionOf(tree, i), head) }

func positionOf(tree *ast.Program, i file.Idx) file.Position {
	return tree.File.Position(int(i) - tree.File.Base())
}

// usage collects the uses of tools in a tree.
type usage struct {
	tree *ast.Program
	head string
	uses []Use
	// entry is the function that gets tools as an argument, nil for none.
	entry any
}

const toolsName = "tools"

// visit examines all nodes below n, except those where tools is something else.
func (u *usage) visit(n any) {
	eachNode(reflect.ValueOf(n), func(n any) bool {
		if hidesTools(n) && !(n == u.entry && keepsTools(n)) {
			return false
		}
		if call, ok := n.(*ast.CallExpression); ok {
			u.call(call)
		}
		return true
	})
}

// assigned reports whether the code gives tools another value anywhere.
func (u *usage) assigned(body *ast.BlockStatement) (found bool) {
	eachNode(reflect.ValueOf(body), func(n any) bool {
		names := map[string]bool{}
		switch n := n.(type) {
		case *ast.AssignExpression:
			bindTarget(names, n.Left)
		case *ast.ForIntoExpression:
			bindTarget(names, n.Expression)
		case *ast.UnaryExpression:
			if s := n.Operator.String(); s == "++" || s == "--" {
				bindTarget(names, n.Operand)
			}
		case *ast.WithStatement:
			found = true
		}
		found = found || names[toolsName]
		return true
	})
	return found
}

// hidesTools reports whether a node gives the name tools another meaning within it.
func hidesTools(n any) bool {
	names := map[string]bool{}
	switch n := n.(type) {
	case *ast.FunctionLiteral:
		if n.Name != nil {
			names[string(n.Name.Name)] = true
		}
		bindParameters(names, n.ParameterList)
		return names[toolsName] || declaresTools(n.DeclarationList)
	case *ast.ArrowFunctionLiteral:
		bindParameters(names, n.ParameterList)
		return names[toolsName] || declaresTools(n.DeclarationList)
	case *ast.ClassLiteral:
		if n.Name != nil {
			names[string(n.Name.Name)] = true
		}
	case *ast.BlockStatement:
		bindStatements(names, n.List)
	case *ast.SwitchStatement:
		for _, c := range n.Body {
			bindStatements(names, c.Consequent)
		}
	case *ast.CatchStatement:
		if n.Parameter != nil {
			bindTarget(names, n.Parameter)
		}
	case *ast.ForStatement:
		if let, ok := n.Initializer.(*ast.ForLoopInitializerLexicalDecl); ok {
			bind(names, let.LexicalDeclaration.List)
		}
	case *ast.ForInStatement:
		bindInto(names, n.Into)
	case *ast.ForOfStatement:
		bindInto(names, n.Into)
	}
	return names[toolsName]
}

func declaresTools(list []*ast.VariableDeclaration) bool {
	names := map[string]bool{}
	for _, d := range list {
		bind(names, d.List)
	}
	return names[toolsName]
}

func bindParameters(names map[string]bool, list *ast.ParameterList) {
	if list == nil {
		return
	}
	bind(names, list.List)
	if list.Rest != nil {
		bindTarget(names, list.Rest)
	}
}

// bindStatements records the names that are declared in a block itself.
func bindStatements(names map[string]bool, list []ast.Statement) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.LexicalDeclaration:
			bind(names, s.List)
		case *ast.FunctionDeclaration:
			names[string(s.Function.Name.Name)] = true
		case *ast.ClassDeclaration:
			names[string(s.Class.Name.Name)] = true
		}
	}
}

func bindInto(names map[string]bool, into ast.ForInto) {
	if d, ok := into.(*ast.ForDeclaration); ok {
		bindTarget(names, d.Target)
	}
}

// call records a call of a tool.
func (u *usage) call(call *ast.CallExpression) {
	name, root := toolNamed(call.Callee)
	if root == nil || len(u.uses) >= MaxUses {
		return
	}
	keys, open := keysOf(call.ArgumentList)
	p := withoutHead(positionOf(u.tree, root.Idx), u.head)
	use := Use{Name: name, Keys: keys, Open: open, Line: p.Line, Column: p.Column}
	for _, known := range u.uses[max(0, len(u.uses)-100):] {
		if known.Name == use.Name && known.Open == use.Open && slices.Equal(known.Keys, use.Keys) {
			return
		}
	}
	u.uses = append(u.uses, use)
}

// toolNamed returns the name of a tool in an expression such as tools.a.b or tools["a.b"], and
// the identifier tools in it; nil if it names none.
func toolNamed(callee ast.Expression) (name string, root *ast.Identifier) {
	var parts []string
	for {
		switch e := callee.(type) {
		case *ast.DotExpression:
			parts = append(parts, string(e.Identifier.Name))
			callee = e.Left
		case *ast.BracketExpression:
			text, ok := e.Member.(*ast.StringLiteral)
			if !ok {
				return "", nil
			}
			parts = append(parts, string(text.Value))
			callee = e.Left
		case *ast.Identifier:
			if string(e.Name) != toolsName || !areNames(parts) {
				return "", nil
			}
			slices.Reverse(parts)
			return strings.Join(parts, "."), e
		default:
			return "", nil
		}
	}
}

// areNames reports whether the parts, from the last to the first, name a tool, not a method of
// tools or of the function that calls one.
func areNames(parts []string) bool {
	size := 0
	for i, part := range parts {
		size += len(part) + 1
		if notTools[part] || ofFunctions[part] && i < len(parts)-1 {
			return false
		}
	}
	return len(parts) > 0 && size <= maxToolName
}

// keysOf returns the names that the argument of a call has, and whether it may have others.
func keysOf(args []ast.Expression) (keys []string, open bool) {
	if len(args) == 0 {
		return nil, false
	}
	object, ok := args[0].(*ast.ObjectLiteral)
	if !ok {
		return nil, true
	}
	for _, p := range object.Value {
		key := ""
		switch p := p.(type) {
		case *ast.PropertyShort:
			key = string(p.Name.Name)
		case *ast.PropertyKeyed:
			if text, ok := p.Key.(*ast.StringLiteral); ok && !p.Computed {
				key = string(text.Value)
			}
		}
		if key == "" || key == "__proto__" || len(key) > maxKey {
			open = true
			continue
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys, open
}
