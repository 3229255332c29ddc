package toolsdoc

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	docs "github.com/helve-dev/helve/docs/tools"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// pagesDir is where the pages are kept.
var pagesDir = filepath.Join("..", "..", "..", "docs", "tools")

// The pages in docs/tools are generated from the definitions and the examples. `go test
// ./internal/tools/toolsdoc -update` writes them.
func TestPages(t *testing.T) {
	testtime.Slow(t, "it runs the example of every tool")
	sets := tools.Builtin()
	var definitions []tool.Definition
	for _, set := range sets {
		for _, tl := range set.Tools() {
			definitions = append(definitions, tl.Definition)
		}
	}
	g := Generator{Definitions: definitions, Play: newWorld(t, sets).play, Old: docs.Section}
	want, notes, err := g.Pages(t.Context())
	if err != nil {
		t.Error(err)
	}
	for _, note := range notes {
		t.Log(note)
	}
	if tooltest.Updating() {
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(pagesDir, name), []byte(text), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	for i := range definitions {
		section, ok := docs.Section(definitions[i].Name)
		switch {
		case tooltest.Updating(): // the program embeds the previous pages
		case !ok:
			t.Errorf("docs/tools has no section of %s", definitions[i].Name)
		case answerIn(section).text == "":
			t.Errorf("docs/tools has no answer to the example of %s", definitions[i].Name)
		}
	}
	removeStale(t, want)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		got, err := os.ReadFile(filepath.Join(pagesDir, name))
		if diff := cmp.Diff(string(got), want[name]); err != nil || diff != "" {
			t.Errorf("docs/tools/%s is not what the definitions make of it (%v); write it with go test ./internal/tools/toolsdoc -update, "+
				"and read what changed (-there +made):\n%s", name, err, diff)
		}
	}
}

// removeStale deletes pages of categories that no longer exist, or reports them.
func removeStale(t *testing.T, want map[string]string) {
	t.Helper()
	there, err := filepath.Glob(filepath.Join(pagesDir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range there {
		name := filepath.Base(file)
		if _, ok := want[name]; ok {
			continue
		}
		if tooltest.Updating() {
			if err := os.Remove(file); err != nil {
				t.Error(err)
			}
			continue
		}
		t.Errorf("docs/tools/%s belongs to no category; write the pages anew with go test ./internal/tools/toolsdoc -update", name)
	}
}
