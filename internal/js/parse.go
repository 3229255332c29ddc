package js

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"github.com/helve-dev/helve/tool"
)

// parse parses a source behind a head, which makes a function of it unless it is
// empty.
func parse(name, head, source string) (tree *ast.Program, err error) {
	if len(source) > MaxSource {
		return nil, tool.Fail(tool.ValidationError, "%s has %d bytes, at most %d are allowed", name, len(source), MaxSource)
	}
	if head != "" {
		source = head + source + foot
	}
	if err := checkNesting(name, source); err != nil {
		return nil, err
	}
	defer unreadable(name, &err)
	tree, err = parser.ParseFile(nil, name, source, 0, parser.WithDisableSourceMaps)
	if list, ok := errors.AsType[parser.ErrorList](err); ok && len(list) > 0 {
		return nil, tool.Fail(tool.ValidationError, "%s: %s", place(list[0].Position, head), list[0].Message)
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

// unreadable makes an error of a panic: goja's parser has some on odd, and on
// some valid, sources.
func unreadable(name string, err *error) {
	if v := recover(); v != nil {
		*err = tool.Fail(tool.ValidationError, "%s: the code cannot be parsed", name).Because(fmt.Errorf("panic: %v", v))
	}
}

// place writes a position as file:line:column. Head is what stands before the
// source on its first line.
func place(p file.Position, head string) string {
	if p.Line == 1 {
		p.Column = max(p.Column-len(head), 1)
	}
	return fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
}
