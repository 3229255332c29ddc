// Package tsctest runs the TypeScript compiler over declarations in tests.
package tsctest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Variable names the compiler, tsc of the npm package typescript. The step sdks of .ci/run
// installs it and sets the variable.
const Variable = "TSC"

// Check compiles declarations together with a program that uses them, without libraries of
// browsers. Without a compiler it skips the test.
func Check(t *testing.T, declarations, program string) {
	t.Helper()
	tsc := os.Getenv(Variable)
	if tsc == "" {
		t.Skipf("%s does not name the TypeScript compiler; .ci/run sdks installs it and runs this test", Variable)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"tools.d.ts": declarations, "program.ts": program + "\nexport {};\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := strings.Fields("--noEmit --strict --noUncheckedIndexedAccess --target es2022 --module es2022 --lib es2022 tools.d.ts program.ts")
	cmd := exec.CommandContext(t.Context(), tsc, args...) //nolint:gosec // the tester names the compiler
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
