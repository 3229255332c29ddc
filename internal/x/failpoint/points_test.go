package failpoint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// TestNamesIsComplete reads the constants from the source: a point missing in Names
// would be refused in FAILPOINTS and missing from the fault matrix.
func TestNamesIsComplete(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "points.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
		return false
	})
	got := slices.Sorted(slices.Values(Names()))
	slices.Sort(want)
	if !slices.Equal(got, want) || len(slices.Compact(got)) != len(want) {
		t.Errorf("Names() = %v, want every constant once: %v", got, want)
	}
}
