package pathmodel

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// table parses the rows of the package comment: a step and the failpoint at that place.
func table(t *testing.T) (rows [][2]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(file.Doc.Text()) {
		step, point, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if ok && strings.HasPrefix(line, "\t") {
			rows = append(rows, [2]string{strings.TrimSpace(step), strings.TrimSpace(point)})
		}
	}
	return rows
}

// TestFailpoints compares the table with the code: each failpoint in it exists, and it
// contains each failpoint on the path of a call. Failpoints of consent, schedules,
// callbacks, accounts and programs are not on this path, and that of groups is at a process's start.
func TestFailpoints(t *testing.T) {
	var named []string
	for _, row := range table(t) {
		if !slices.Contains(failpoint.Names(), row[1]) {
			t.Errorf("%q: there is no failpoint %s", row[0], row[1])
		}
		named = append(named, row[1])
	}
	apart := []string{"consent", "schedule", "callback", "account", "groups", "program"}
	for _, point := range failpoint.Names() {
		part, _, _ := strings.Cut(point, ".")
		if !slices.Contains(apart, part) && !slices.Contains(named, point) {
			t.Errorf("failpoint %s is in no row of the package comment", point)
		}
	}
}

// stepsExist compares the table with the model: each step in it is a step of a graph.
func stepsExist(t *testing.T, graphs ...*graph) {
	t.Helper()
	for _, row := range table(t) {
		if !slices.ContainsFunc(graphs, func(g *graph) bool { return g.names[row[0]] }) {
			t.Errorf("no step of the model is called %q", row[0])
		}
	}
}
