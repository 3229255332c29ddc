package archtest

import (
	"go/ast"
	"maps"
	"slices"
	"testing"
)

// brokenInits finds work at import time, which cannot be ordered, tested or skipped.
func brokenInits(all []source) []string {
	var broken []string
	for _, s := range all {
		for _, d := range s.File.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				broken = append(broken, s.at(f)+": func init runs on import and cannot be tested: make a value, or a constructor that is called")
			}
		}
	}
	return broken
}

// brokenSleeps finds tests that wait for the wall clock. In a file that uses
// testing/synctest a sleep is virtual and exact.
func brokenSleeps(all []source) []string {
	var broken []string
	for _, s := range all {
		names := imports(s.File)
		if !s.Test || slices.Contains(slices.Collect(maps.Values(names)), "testing/synctest") {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if pkg, name, ok := qualified(e, names); ok && pkg == "time" && name == "Sleep" {
					broken = append(broken, s.at(n)+": time.Sleep in a test is slow or flaky: wait for the event itself, or use a testing/synctest bubble")
				}
			}
			return true
		})
	}
	return broken
}

func TestForbidden(t *testing.T) {
	all := sources(t)
	report(t, brokenInits(all))
	report(t, brokenSleeps(all))
}

func TestBrokenInits(t *testing.T) {
	for text, want := range map[string]int{
		"package a\n\nfunc init() {}\n":     1,
		"package a\n\nfunc (t T) init() {}": 0,
		"package a\n\nfunc initialise() {}": 0,
	} {
		if got := brokenInits([]source{parse(t, "a/a.go", text)}); len(got) != want {
			t.Errorf("brokenInits(%q) = %q, want %d findings", text, got, want)
		}
	}
}

func TestBrokenSleeps(t *testing.T) {
	const sleeps = "package a\n\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n"
	for _, tt := range []struct {
		file, text string
		want       int
	}{
		{"a/a_test.go", sleeps, 1},
		{"a/a.go", sleeps, 0},
		{"a/a_test.go", "package a\n\nimport clock \"time\"\n\nvar nap = clock.Sleep\n", 1},
		{"a/a_test.go", "package a\n\nimport \"time\"\nimport \"testing/synctest\"\n\nfunc f() { synctest.Wait(); time.Sleep(1) }\n", 0},
	} {
		if got := brokenSleeps([]source{parse(t, tt.file, tt.text)}); len(got) != tt.want {
			t.Errorf("brokenSleeps(%s, %q) = %q, want %d findings", tt.file, tt.text, got, tt.want)
		}
	}
}
