package streams_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/streams"
)

// TestUpkeepIsDocumented holds the table in docs/cluster.md to what processes do.
func TestUpkeepIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "cluster.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, remade := range streams.Upkeep() {
		_, row, found := strings.Cut(string(text), "\n| `"+name+"` |")
		row, _, _ = strings.Cut(row, "\n")
		columns := strings.Split(row, "|")
		if !found || len(columns) != 3 {
			t.Errorf("docs/cluster.md has no row for %s", name)
			continue
		}
		want := " reported"
		if remade {
			want = " made again"
		}
		if !strings.HasPrefix(columns[1], want) {
			t.Errorf("docs/cluster.md: %s is%s, want%s", name, columns[1], want)
		}
	}
}
