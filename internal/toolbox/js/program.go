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

// MaxSource is the maximum size of a script in bytes.
const MaxSource = 1 << 20

// Program is a compiled script. Any number of runtimes may run it concurrently.
type Program struct {
	// Name is the file name in positions of errors.
	Name string
	// Hash is the SHA-256 of the source, in hex.
	Hash string

	run     *goja.Program
	head    string          // the text before the source that makes it a function
	names   map[string]bool // the names that the file defines at its top level
	absent  []string        // the names it uses that scripts do not have
	bounded []string        // the names in it that may allocate a lot
	chains  []string        // the names in it with which it may make chains
	reach   reach           // what it may reach without naming it
	entries sync.Map        // function name -> *goja.Program that yields it
}

// The heads are on the first line of the source, so that every line keeps its number.
const (
	bodyHead    = "(async function (args, context, utils) {"
	programHead = "(async function (tools, input, program) {"
	durableHead = "(async function (args, tools, program) {" // of a durable tool
	libHead     = "(function (exports, module) {"
	foot        = "\n})" // on a line of its own, because the source may end in a comment
)

// isDurable reports whether a head is that of a program, or of a durable tool.
func isDurable(head string) bool { return head == programHead || head == durableHead }

// isBody reports whether a head makes its source the body of an async function, which
// runs in the sandbox.
func isBody(head string) bool { return head == bodyHead || isDurable(head) }

// Compile compiles an operator's file. The error is a validation_error with the
// position in the file.
func Compile(name, source string) (*Program, error) {
	tree, err := parse(name, "", source)
	if err != nil {
		return nil, err
	}
	return compile(name, "", source, tree)
}

// CompileBody compiles the body of an async function of args, context and utils. It
// refuses a body that closes the function early, because the rest would run outside.
func CompileBody(name, body string) (*Program, error) { return compileFunction(name, bodyHead, body) }

// CompileDurable compiles the body of a program, an async function of tools, input and
// program; or with tool set that of a durable tool, an async function of args, tools and
// program. A task that runs it must be a [Durable] run of the same kind.
func CompileDurable(name, body string, tool bool) (*Program, error) {
	return compileFunction(name, durableHeadOf(tool), body)
}

func durableHeadOf(tool bool) string {
	if tool {
		return durableHead
	}
	return programHead
}

// CompileLib compiles a shared library, which exports through exports or
// module.exports.
func CompileLib(name, source string) (*Program, error) {
	return compileFunction(name, libHead, source)
}

func compileFunction(name, head, source string) (*Program, error) {
	tree, err := parse(name, head, source)
	if err != nil {
		return nil, err
	}
	if !oneFunction(tree, len(head)+len(source)+len(foot), isBody(head)) {
		return nil, tool.Fail(tool.ValidationError, "%s: code must be the body of one function; it closes its enclosing function", name)
	}
	return compile(name, head, source, tree)
}

// oneFunction reports whether the tree is a single function literal that extends to the
// end of the source.
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
	var missing []string
	if head == "" {
		missing = absentIn(tree)
	}
	var bounded, chains []string
	var may reach
	if !isBody(head) { // a body runs in the sandbox, which limits all its memory
		chains = chainsIn(tree)
		bounded, may = boundTree(tree)
	}
	unfold(tree)
	run, err := compileTree(name, head, tree)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(source))
	p := &Program{Name: name, Hash: hex.EncodeToString(sum[:]), run: run, head: head, bounded: bounded, chains: chains, reach: may}
	if head == "" {
		p.names, p.absent = topLevel(tree), missing
	}
	return p, nil
}

// identifier matches the name of a function.
var identifier = regexp.MustCompile(`^[a-zA-Z_$][a-zA-Z0-9_$]*$`)

// entry returns a program that yields the function of that name; the runtime's own
// lookup would not see a const.
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
