package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/tools/diagnostics"
	"github.com/helve-dev/helve/internal/tools/utilities"
	"github.com/helve-dev/helve/tool"
)

// every returns all tools, diagnostics last.
func every() []*tool.Tool {
	var all []*tool.Tool
	for _, set := range append(Builtin(), diagnostics.Set) {
		all = append(all, set.Tools()...)
	}
	return all
}

func names(tools []*tool.Tool) []string {
	var all []string
	for _, tl := range tools {
		all = append(all, tl.Name)
	}
	slices.Sort(all)
	return all
}

// provider returns the tool's name for a model provider that forbids dots.
func provider(name string) string { return strings.ReplaceAll(name, ".", "_") }

func TestOrder(t *testing.T) {
	var categories []string
	for _, set := range Builtin() {
		if set == diagnostics.Set {
			t.Error("Builtin holds the diagnostics, which are off unless turned on")
		}
		categories = append(categories, set.Tools()[0].Category)
	}
	once := slices.DeleteFunc(slices.Clone(categories), func(category string) bool { return category == utilities.Set.Category() })
	if !slices.IsSorted(categories) || len(slices.Compact(slices.Clone(once))) != len(once) {
		t.Errorf("categories of Builtin = %q, want them sorted, and each once but for that of utilities", categories)
	}
}

// A source that adds a tool to a category must be reached from here, and a file that
// adds a tool has its name.
func TestEveryCategoryIsListed(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*/*.go", "network/*/*.go", "personal/*/*.go", "utilities/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	var adding []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for range strings.Count(string(text), "tool.Add(") {
			adding = append(adding, strings.TrimSuffix(filepath.Base(file), ".go"))
		}
	}
	slices.Sort(adding)
	var listed []string
	for _, name := range names(every()) {
		listed = append(listed, provider(name))
	}
	slices.Sort(listed)
	if diff := cmp.Diff(adding, listed); diff != "" {
		t.Errorf("files that add a tool (-) and tools that are listed (+) differ; list the category in builtin.go, network/network.go, "+
			"personal/personal.go or utilities/utilities.go, and name the file after its tool:\n%s", diff)
	}
}

func TestNamesAreUnique(t *testing.T) {
	owner := map[string]string{}
	for _, tl := range every() {
		for _, name := range append([]string{tl.Name}, tl.Aliases...) {
			if first, taken := owner[provider(name)]; taken {
				t.Errorf("%s: the name %s is taken by %s, with dots read as underscores", tl.Name, name, first)
			}
			owner[provider(name)] = tl.Name
		}
	}
}

func TestFrozenList(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "config", "tools.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var frozen []string
	for line := range strings.Lines(string(text)) {
		if name := strings.TrimSpace(line); name != "" && !strings.HasPrefix(name, "#") {
			frozen = append(frozen, name)
		}
	}
	diagnostics := names(diagnostics.Set.Tools())
	want := names(every())
	want = slices.DeleteFunc(want, func(name string) bool { return slices.Contains(diagnostics, name) })
	if diff := cmp.Diff(frozen, append(want, diagnostics...)); diff != "" {
		t.Errorf("config/tools.txt (-) and the registry (+) differ; both parts of the file are sorted:\n%s", diff)
	}
}

var sentenceEnd = regexp.MustCompile(`[.!?]\s+[A-Z]`)

func TestDefinitionsAreComplete(t *testing.T) {
	for _, tl := range every() {
		if d := tl.Description; !strings.HasSuffix(d, ".") || sentenceEnd.MatchString(d) || strings.Contains(d, "\n") {
			t.Errorf("%s: description %q, want one sentence that ends in a full stop", tl.Name, d)
		}
		if len(tl.Tags) == 0 || slices.Contains(tl.Tags, "") {
			t.Errorf("%s: tags %q, want some, and none empty", tl.Name, tl.Tags)
		}
		if tl.Group != catalog.Diagnostics && tl.Errors == nil {
			t.Errorf("%s: its Spec does not say which Errors it fails with; write []tool.Kind{} if there are none", tl.Name)
		}
		if tl.Group != catalog.Diagnostics && len(tl.Example) == 0 {
			t.Errorf("%s: it has no Example, which its documentation shows with the answer", tl.Name)
		}
		if _, err := schema.Compile(tl.Parameters); err != nil {
			t.Errorf("%s: the schema of its parameters: %v", tl.Name, err)
		}
	}
}

// BenchmarkBuiltin measures the share of the tools in a start: listing them all and
// compiling their schemas. The limit is 20 ms.
func BenchmarkBuiltin(b *testing.B) {
	for b.Loop() {
		for _, tl := range every() {
			if _, err := schema.Compile(tl.Parameters); err != nil {
				b.Fatal(err)
			}
		}
	}
}
