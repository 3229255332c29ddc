package tooltest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestGolden(t *testing.T) { Golden(t, ping()) }

func TestBrokenGoldens(t *testing.T) {
	dir, set := t.TempDir(), ping()
	want := func(what string, problems ...string) {
		t.Helper()
		got := brokenGoldens(dir, set)
		if len(got) != len(problems) {
			t.Fatalf("%s: problems %q, want %d", what, got, len(problems))
		}
		for i := range got {
			if !strings.Contains(got[i], problems[i]) {
				t.Errorf("%s: problem %q, want it to hold %q", what, got[i], problems[i])
			}
		}
	}
	want("nothing written", "test.ping has no golden definition")
	if err := writeGoldens(dir, set); err != nil {
		t.Fatal(err)
	}
	want("written")

	set.Tools()[0].Risk = tool.High
	want("changed", `"risk": "high"`)
	if err := os.WriteFile(filepath.Join(dir, "gone.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	want("changed and an orphan", "test.ping changed", "gone.json belongs to no tool")
}
