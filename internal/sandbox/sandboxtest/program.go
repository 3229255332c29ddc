// Package sandboxtest gives tests of other packages a child to run scripts in.
package sandboxtest

import (
	"testing"

	"github.com/helve-dev/helve/internal/childtest"
	"github.com/helve-dev/helve/internal/sandbox/inside"
)

// Program returns what belongs into [sandbox.Options] as Program: a child that
// is built once for each test binary.
func Program(t testing.TB) []string {
	t.Helper()
	return []string{Path(t), inside.Argument}
}

// Path is the program alone. Its arguments say what kind of child it is.
func Path(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var build = childtest.Program("internal/sandbox/testchild")

// Build is [Path] for a TestMain.
func Build() (string, error) { return build() }
