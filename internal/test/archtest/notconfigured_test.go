package archtest

import (
	"go/ast"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wayOut matches what a person can type or set: a command, a flag, a setting of
// config/default.yaml, an entry of a service, a tool, a call in main.
var wayOut = regexp.MustCompile(`apt-get install |docker pull |usermod |runuser |helve doctor|helve config (set|unset|rotate|key|connect|test)|--(services|secrets-key|pools|data)\b|\b(docker|desktop|programs|store|tools|http)\.[a-z_]+\b|install_cli_tool|programs\.Child\(\)|worker/parts/|PATH=`)

// TestNotConfiguredNamesTheWayOut: a message of the kind not_configured names what its
// reader has to type or set.
func TestNotConfiguredNamesTheWayOut(t *testing.T) {
	t.Parallel()
	all, found := sources(t), 0
	for _, s := range all {
		if s.Test || strings.Contains(s.Dir, "tooltest") {
			continue
		}
		for at, text := range unconfigured(s, all) {
			found++
			if !wayOut.MatchString(text) {
				t.Errorf("%s: %q names no command, flag or setting that mends it", at, text)
			}
		}
	}
	if found < 30 {
		t.Errorf("%d messages were found, want 30 or more", found)
	}
}

func TestUnconfigured(t *testing.T) {
	t.Parallel()
	s := parse(t, "x/a.go", `package x
const named = "call " + "somebody"
func f() { tool.Fail(tool.NotConfigured, "ask " + "the operator: %s", x); failed(tool.NotConfigured, named, nil); tool.Fail(tool.Internal, "no") }`)
	got := unconfigured(s, []source{s})
	if len(got) != 2 {
		t.Fatalf("%d messages, want 2: %q", len(got), got)
	}
	for at, text := range got {
		if wayOut.MatchString(text) || text == "" {
			t.Errorf("%s: %q passes", at, text)
		}
	}
}

// unconfigured returns the messages of errors of the kind not_configured, by place. A
// constant's text is looked up in its directory.
func unconfigured(s source, all []source) map[string]string {
	found := map[string]string{}
	ast.Inspect(s.File, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		if kind, ok := call.Args[0].(*ast.SelectorExpr); ok && kind.Sel.Name == "NotConfigured" {
			found[s.at(call)+":"+strconv.Itoa(int(call.Pos()))] = textOf(call.Args[1], s.Dir, all)
		}
		return true
	})
	return found
}

// textOf returns the text of a constant expression, "" for any other expression.
func textOf(e ast.Expr, dir string, all []source) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return textOf(e.X, dir, all) + textOf(e.Y, dir, all)
	case *ast.Ident:
		for _, s := range all {
			if s.Dir != dir {
				continue
			}
			if value := constant(s.File, e.Name); value != nil {
				return textOf(value, dir, all)
			}
		}
	}
	return ""
}

func constant(f *ast.File, name string) ast.Expr {
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range decl.Specs {
			spec, ok := s.(*ast.ValueSpec)
			if ok && len(spec.Names) == 1 && spec.Names[0].Name == name && len(spec.Values) == 1 {
				return spec.Values[0]
			}
		}
	}
	return nil
}
