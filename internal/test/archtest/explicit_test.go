package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"testing"
)

// explicit lists the fields of a tool.Spec whose zero value is a valid answer, so that
// only the source distinguishes a decision from an omission.
var explicit = []string{"Risk", "Mutates", "Timeout"}

// brokenSpecs checks every tool.Spec written under internal/tools and also returns
// their number.
func brokenSpecs(all []source) (broken []string, seen int) {
	for _, s := range all {
		if s.Test || !under(s.Dir, "internal/tools") {
			continue
		}
		names := imports(s.File)
		ast.Inspect(s.File, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || !isSpec(lit.Type, names) {
				return true
			}
			seen++
			set := keys(lit)
			for _, field := range explicit {
				if !slices.Contains(set, field) {
					broken = append(broken,
						fmt.Sprintf("%s: the Spec does not set %s: write it out, even as its zero value, so that a reviewer sees the decision",
							s.at(lit), field))
				}
			}
			return true
		})
	}
	return broken, seen
}

// isSpec recognises tool.Spec[Args, Result], however the file names the import.
func isSpec(typ ast.Expr, names map[string]string) bool {
	switch t := typ.(type) {
	case *ast.IndexListExpr:
		typ = t.X
	case *ast.IndexExpr:
		typ = t.X
	}
	pkg, name, ok := qualified(typ, names)
	return ok && pkg == module+"/tool" && name == "Spec"
}

func keys(lit *ast.CompositeLit) []string {
	var names []string
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

func TestExplicit(t *testing.T) {
	all := sources(t)
	broken, seen := brokenSpecs(all)
	report(t, broken)
	if there := slices.ContainsFunc(all, func(s source) bool { return under(s.Dir, "internal/tools") }); there && seen == 0 {
		t.Error("found no tool.Spec under internal/tools: this test no longer recognises how tools are written")
	}
}

func TestBrokenSpecs(t *testing.T) {
	const head = "package a\n\nimport \"" + module + "/tool\"\n\nvar _ = tool.Add(Set, tool.Spec[in, out]{"
	for _, tt := range []struct {
		file, text   string
		broken, seen int
	}{
		{"internal/tools/a/x.go", head + "Risk: tool.Low, Mutates: false, Timeout: 1})", 0, 1},
		{"internal/tools/a/x.go", head + "Risk: tool.Low, Timeout: 1})", 1, 1},
		{"internal/tools/a/x.go", head + "})", 3, 1},
		{"internal/tools/a/x_test.go", head + "})", 0, 0},
		{"internal/engine/x.go", head + "})", 0, 0},
		{"internal/tools/a/x.go", "package a\n\nvar _ = other.Spec[in, out]{}\n", 0, 0},
	} {
		broken, seen := brokenSpecs([]source{parse(t, tt.file, tt.text)})
		if len(broken) != tt.broken || seen != tt.seen {
			t.Errorf("brokenSpecs(%s, %q) = %q, %d, want %d findings, %d", tt.file, tt.text, broken, seen, tt.broken, tt.seen)
		}
	}
}
