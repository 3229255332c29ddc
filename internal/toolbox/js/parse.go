package js

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"github.com/helve-dev/helve/tool"
)

// parse parses a source after a head, which makes the source a function unless it is
// empty.
func parse(name, head, source string) (tree *ast.Program, err error) {
	if len(source) > MaxSource {
		return nil, tool.Fail(tool.ValidationError, "%s has %d bytes, at most %d are allowed", name, len(source), MaxSource)
	}
	text, tail := source, ""
	if head != "" {
		source, tail = head+source+foot, foot
	}
	if err := checkNesting(name, source, head, tail); err != nil {
		return nil, err
	}
	defer unreadable(name, &err)
	tree, err = parser.ParseFile(nil, name, source, 0, parser.WithDisableSourceMaps)
	if list, ok := errors.AsType[parser.ErrorList](err); ok && len(list) > 0 {
		return nil, tool.Fail(tool.ValidationError, "%s: %s", place(list[0].Position, head), hint(text, list[0].Position.Line, list[0].Message))
	}
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "%s: %s", name, err)
	}
	return tree, nil
}

func compileTree(name, head string, tree *ast.Program) (run *goja.Program, err error) {
	defer unreadable(name, &err)
	run, err = goja.CompileAST(tree, false)
	if e, ok := errors.AsType[*goja.CompilerSyntaxError](err); ok && e.File != nil {
		return nil, tool.Fail(tool.ValidationError, "%s: %s", place(e.File.Position(e.Offset), head), e.Message)
	}
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "%s: %s", name, err)
	}
	return run, nil
}

// unreadable converts a panic to an error: goja's parser panics on some invalid and
// some valid sources.
func unreadable(name string, err *error) {
	if v := recover(); v != nil {
		*err = tool.Fail(tool.ValidationError, "%s: the code cannot be parsed", name).Because(fmt.Errorf("panic: %v", v))
	}
}

var (
	moduleLine  = regexp.MustCompile(`^\s*(import|export)\b`)
	namelessFor = regexp.MustCompile(`^\s*(async\s+)?function\s*\*?\s*\(`)
)

// hint adds advice to a syntax error whose line would be valid on other platforms.
func hint(text string, line int, message string) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return message
	}
	switch at := lines[line-1]; {
	case moduleLine.MatchString(at):
		return "there are no modules: leave import and export out; use what is there by itself, and lib for shared libraries"
	case namelessFor.MatchString(at):
		return "a function without a name is not allowed here; give only its body, or name it and call it"
	}
	return message
}

// place formats a position as file:line:column, or in a program, which has no file, as
// line and column. head is the text before the source on its first line.
func place(p file.Position, head string) string {
	p = withoutHead(p, head)
	if isDurable(head) {
		return fmt.Sprintf("line %d, column %d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
}

// withoutHead returns a position in the source without its head.
func withoutHead(p file.Position, head string) file.Position {
	if p.Line == 1 {
		p.Column = max(p.Column-len(head), 1)
	}
	return p
}
