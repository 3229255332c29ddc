package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// brokenImports compares our own imports, without tests, with rows.
func brokenImports(rows []row, all []source) []string {
	var broken []string
	unlisted := map[string]bool{}
	for _, s := range all {
		if s.Test {
			continue
		}
		r, ok := find(rows, s.Dir)
		if !ok {
			if !unlisted[s.Dir] {
				broken = append(broken,
					fmt.Sprintf("package %s has no row in the import table of internal/test/archtest: add a row that says what it may import and why",
						s.Dir))
			}
			unlisted[s.Dir] = true
			continue
		}
		for _, spec := range s.File.Imports {
			to, ours := strings.CutPrefix(importPath(spec), module+"/")
			allowed := func(p string) bool { return matches(p, to) }
			if ours && !slices.ContainsFunc(r.may, allowed) && !slices.ContainsFunc(everyone, allowed) {
				broken = append(broken, fmt.Sprintf("%s: %s must not import %s: %s; it may import %v", s.at(spec), s.Dir, to, r.why, r.may))
			}
		}
	}
	return broken
}

func TestImports(t *testing.T) {
	report(t, brokenImports(table, sources(t)))
}

// TestLibraries breaks each rule on libraries once.
func TestLibraries(t *testing.T) {
	for _, tt := range []struct {
		file, imports string
		broken        bool
	}{
		{"internal/lib/textcase/x.go", "internal/lib/textcount", false},
		{"internal/lib/textcase/x.go", "tool", true},
		{"internal/lib/textcase/x.go", "internal/jsonx/schema", true},
		{"internal/lib/units/x.go", "tool", false},
		{"internal/lib/units/x.go", "internal/tools/utilities", true},
		{"internal/lib/jsonwalk/x.go", "internal/lib/textcase", true},
		{"internal/lib/nearest/x.go", "tool", true},
		{"internal/lib/textcut/x.go", "internal/lib/grapheme", true},
		{"internal/lib/new/x.go", "internal/bus/queue", true},
		{"internal/tools/utilities/x.go", "internal/lib/units", false},
		{"internal/tools/utilities/x.go", "internal/tools/git", true},
		{"internal/tools/utilities/x.go", "internal/tools/utilities/text", false},
		{"internal/tools/utilities/text/x.go", "internal/tools/utilities/data", true},
		{"internal/engine/x.go", "internal/lib/textcut", false},
		{"internal/execution/x.go", "internal/engine", false},
		{"internal/execution/x.go", "internal/bus/queue", true},
		{"internal/execution/x.go", "internal/app/worker", true},
		{"worker/x.go", "internal/app/worker", false},
		{"worker/x.go", "internal/execution", true},
		{"internal/app/worker/x.go", "internal/execution", false},
		{"internal/engine/x.go", "internal/lib/units", true},
	} {
		text := fmt.Sprintf("package x\n\nimport _ %q\n", module+"/"+tt.imports)
		if got := brokenImports(table, []source{parse(t, tt.file, text)}); (len(got) > 0) != tt.broken {
			t.Errorf("%s importing %s = %q, want broken %v", tt.file, tt.imports, got, tt.broken)
		}
	}
}

func TestBrokenImports(t *testing.T) {
	rows := []row{
		{"a", nil, "a stands alone"},
		{"b", []string{"a", "c/*"}, ""},
		{"c/*", []string{"a"}, "c is narrow"},
		{"c/w", anything, ""},
	}
	for _, tt := range []struct {
		file, imports string
		broken        bool
	}{
		{"a/x.go", "fmt", false},
		{"a/x.go", module + "/b", true},
		{"a/x.go", module + "/internal/x/failpoint", false},
		{"a/x.go", module + "/protocol", false},
		{"a/x_test.go", module + "/b", false},
		{"b/x.go", module + "/a", false},
		{"b/x.go", module + "/c/d", false},
		{"b/x.go", module + "/c", false},
		{"b/x.go", module + "/cd", true},
		{"c/d/x.go", module + "/c/e", true},
		{"c/w/x.go", module + "/c/e", false},
		{"new/x.go", "fmt", true},
	} {
		text := fmt.Sprintf("package %s\n\nimport _ %q\n", path.Base(path.Dir(tt.file)), tt.imports)
		got := brokenImports(rows, []source{parse(t, tt.file, text)})
		if (len(got) > 0) != tt.broken {
			t.Errorf("brokenImports(%s importing %s) = %q, want broken %v", tt.file, tt.imports, got, tt.broken)
		}
	}
}
