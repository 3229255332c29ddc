package js

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"

	"github.com/helve-dev/helve/tool"
)

// MaxSource is the most bytes a script may have.
const MaxSource = 1 << 20

// Program is a script that was compiled once and can be run by any number of
// runtimes at a time.
type Program struct {
	// Name is the file as it stands in positions of errors.
	Name string
	// Hash is the SHA-256 of the source, in hex.
	Hash string

	run     *goja.Program
	head    string          // what was put before the source, to make a function of it
	names   map[string]bool // what the file defines at its top level
	entries sync.Map        // function name -> *goja.Program that yields it
}

// The heads stand on the first line of the source, so that every line keeps its
// number.
const (
	bodyHead = "(async function (args, context, utils) {"
	libHead  = "(function (exports, module) {"
	foot     = "\n})" // on a line of its own, as the source may end in a comment
)

// Compile compiles an operator's file. An error says where the file is wrong
// and is a validation_error.
func Compile(name, source string) (*Program, error) {
	tree, err := parse(name, "", source)
	if err != nil {
		return nil, err
	}
	return compile(name, "", source, tree)
}

// CompileBody compiles the body of an async function of args, context and
// utils. A body that ends the function early is refused: what stands behind
// would run outside.
func CompileBody(name, body string) (*Program, error) { return compileFunction(name, bodyHead, body) }

// CompileLib compiles a shared library, which gives what it offers to exports
// or module.exports.
func CompileLib(name, source string) (*Program, error) {
	return compileFunction(name, libHead, source)
}

func compileFunction(name, head, source string) (*Program, error) {
	tree, err := parse(name, head, source)
	if err != nil {
		return nil, err
	}
	if !oneFunction(tree, len(head)+len(source)+len(foot), head == bodyHead) {
		return nil, tool.Fail(tool.ValidationError, "%s: code must be the body of one function; it closes the function it stands in", name)
	}
	return compile(name, head, source, tree)
}

// oneFunction says that the tree is a single function literal which reaches to
// the end of the source.
func oneFunction(tree *ast.Program, size int, async bool) bool {
	if len(tree.Body) != 1 {
		return false
	}
	statement, ok := tree.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	f, ok := statement.Expression.(*ast.FunctionLiteral)
	return ok && f.Async == async && !f.Generator && f.Name == nil && int(f.Idx1()) >= size
}

func compile(name, head, source string, tree *ast.Program) (*Program, error) {
	unfold(tree)
	run, err := compileTree(name, head, tree)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(source))
	p := &Program{Name: name, Hash: hex.EncodeToString(sum[:]), run: run, head: head}
	if head == "" {
		p.names = topLevel(tree)
	}
	return p, nil
}

// identifier is what may name a function.
var identifier = regexp.MustCompile(`^[a-zA-Z_$][a-zA-Z0-9_$]*$`)

// entry is a program that yields the function of that name; the runtime's own
// look-up would not see one that was declared by const.
func (p *Program) entry(function string) (*goja.Program, error) {
	if known, ok := p.entries.Load(function); ok {
		e, _ := known.(*goja.Program)
		return e, nil
	}
	if !identifier.MatchString(function) || !p.Defines(function) {
		return nil, tool.Fail(tool.ExecutionError, "%s defines no function %q", p.Name, function)
	}
	e, err := goja.Compile("", function, false)
	if err != nil {
		return nil, tool.Fail(tool.ExecutionError, "%q cannot be the name of a function", function).Because(err)
	}
	p.entries.Store(function, e)
	return e, nil
}
