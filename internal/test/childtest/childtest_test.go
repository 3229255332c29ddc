package childtest

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBuilt: a program that was built before is not built again.
func TestBuilt(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(Built, dir)
	program := Program("internal/some/launcher")
	if err := os.WriteFile(filepath.Join(dir, "launcher"), []byte("built"), 0o700); err != nil {
		t.Fatal(err)
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "built" {
		t.Errorf("the program is %q, %v, want the one that was built before", text, err)
	}
	if _, err := Program("internal/other")(); err == nil {
		t.Error("a program that is missing was found")
	}
}
