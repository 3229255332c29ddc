package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctorStore: the database of personal data is there or will be made; a database that
// cannot be used is a fault.
func TestDoctorStore(t *testing.T) {
	t.Parallel()
	check := func(want, detail string, args ...string) {
		t.Helper()
		_, out, errs := doctor(t, args...)
		if _, ok, got := row(out, "store"); ok != want || !strings.Contains(got, detail) || strings.Contains(errs, "store") != (want == "no") {
			t.Errorf("row store = %s %s, error %q, want %s %s", ok, got, errs, want, detail)
		}
	}
	check("yes", "will be created", "--data", filepath.Join(t.TempDir(), "new"))
	dir := stored(t)
	check("yes", "MiB", "--data", dir)
	if err := os.WriteFile(filepath.Join(dir, "store.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	check("no", "not readable as a store", "--data", dir)
	file := filepath.Join(t.TempDir(), "helve.yaml")
	if err := os.WriteFile(file, []byte("store:\n  url: postgres://helve@127.0.0.1:1/none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("no", "not reachable", "--data", dir, "--config", file)
}
