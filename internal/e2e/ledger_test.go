package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ledger returns the lines that debug.effect wrote for a tenant's calls that
// name no user, without their times.
func (s *system) ledger(t testing.TB, tenant string) []string { return ledger(t, s, tenant, "_") }

// ledger is the same for one user.
func ledger(t testing.TB, s *system, tenant, user string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.cfg.Data, "workspaces", tenant, user, "ledger.txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) != 3 {
			t.Fatalf("ledger line %q has %d words, want 3", line, len(words))
		}
		lines = append(lines, words[0]+" "+words[1])
	}
	return lines
}

// wantLedger checks what was written.
func (s *system) wantLedger(t testing.TB, tenant string, want ...string) {
	t.Helper()
	if got := s.ledger(t, tenant); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("ledger = %q, want %q", got, want)
	}
}
