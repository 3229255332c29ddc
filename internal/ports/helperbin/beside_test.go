package helperbin

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBeside(t *testing.T) {
	dir := t.TempDir()
	want := filepath.Join(dir, "helve-other")
	if err := os.WriteFile(want, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if got, found := Beside("helve-other"); !found || got != want {
		t.Errorf("Beside = %q, %v, want %q", got, found, want)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got, found := Beside(filepath.Base(self)); !found || got != self {
		t.Errorf("Beside of this program = %q, %v, want %q", got, found, self)
	}
	if got, found := Beside("helve-none"); found {
		t.Errorf("Beside of no program = %q, want none", got)
	}
}
