//go:build linux

package confine

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programVariable names a program that the tests lock down in place of their own.
const programVariable = "HELVE_TEST_LOCKED_PROGRAM"

// TestWithCgo runs the tests of this package on a program that is linked with cgo.
func TestWithCgo(t *testing.T) {
	t.Parallel()
	if os.Getenv(programVariable) != "" {
		return // these are those tests
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("NOT TESTED: a program that is linked with cgo, since there is no gcc; install one")
	}
	dir := t.TempDir()
	for d := dir; d != filepath.Dir(d) && d != os.TempDir(); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil { // for a child that is nobody
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "testprog")
	build := exec.Command("go", "build", "-o", program, "./testprog")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	linked, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer linked.Close()
	if libs, err := linked.ImportedLibraries(); err != nil || len(libs) == 0 {
		t.Fatalf("the program is linked with %q, %v; want the C library", libs, err)
	}
	tests := exec.Command(os.Args[0], "-test.v", "-test.run",
		"^(TestAttempts|TestWork|TestReport|TestLess|TestMemory|TestCPU|TestParentEnds|TestKeep|TestBestEffort)$")
	tests.Env = append(os.Environ(), programVariable+"="+program)
	out, err := tests.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestAttempts")) {
		t.Errorf("with cgo: %v\n%s", err, failures(out))
	}
}

// failures leaves out what passed.
func failures(out []byte) []byte {
	var kept [][]byte
	for line := range bytes.Lines(out) {
		if !bytes.Contains(line, []byte("--- PASS")) && !bytes.HasPrefix(line, []byte("===")) {
			kept = append(kept, line)
		}
	}
	return bytes.Join(kept, nil)
}
