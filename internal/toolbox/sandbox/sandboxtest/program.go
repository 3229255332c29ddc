// Package sandboxtest builds a child program for tests of other packages that run scripts.
package sandboxtest

import (
	"testing"

	"github.com/helve-dev/helve/internal/test/childtest"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
)

// Program returns the value of Program in [sandbox.Options]: a child that is built once for
// each test binary.
func Program(t testing.TB) []string {
	t.Helper()
	return []string{Path(t), child.Argument}
}

// Path returns the path of the child program. Its arguments select the kind of child.
func Path(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var build = childtest.Program("internal/toolbox/sandbox/testchild")

// Build is [Path] for a TestMain.
func Build() (string, error) { return build() }
