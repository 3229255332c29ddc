package system

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Ledger returns the lines that debug.effect wrote for a tenant's calls without a user,
// without their times.
func (s *System) Ledger(t testing.TB, tenant string) []string { return UserLedger(t, s, tenant, "_") }

// UserLedger returns the lines that debug.effect wrote for one user.
func UserLedger(t testing.TB, s *System, tenant, user string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.Config.Data, "workspaces", tenant, user, "ledger.txt"))
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

// WantLedger checks the written lines.
func (s *System) WantLedger(t testing.TB, tenant string, want ...string) {
	t.Helper()
	if got := s.Ledger(t, tenant); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("ledger = %q, want %q", got, want)
	}
}
