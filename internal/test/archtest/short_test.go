package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	timeDir   = "internal/test/testtime"
	e2eDir    = "internal/test/e2e"
	systemDir = e2eDir + "/system"
)

// brokenShort finds tests that ask for -short themselves, so that nobody has the list of
// what it leaves out.
func brokenShort(all []source) []string {
	var broken []string
	for _, s := range all {
		if s.Dir == timeDir {
			continue
		}
		for _, call := range uses(s, "testing", "Short") {
			broken = append(broken, s.at(call)+": only "+timeDir+" asks for -short: call testtime.Slow in the helper that starts what is slow, or testtime.SlowPackage in TestMain")
		}
	}
	return broken
}

// brokenSystems finds packages of whole-system tests that -short does not leave out.
func brokenSystems(all []source) []string {
	guarded := map[string]bool{}
	for _, s := range all {
		if s.Test && under(s.Dir, e2eDir) && !under(s.Dir, systemDir) {
			guarded[s.Dir] = guarded[s.Dir] || callsIn(s, "TestMain", module+"/"+systemDir, "Main")
		}
	}
	var broken []string
	for _, dir := range slices.Sorted(maps.Keys(guarded)) {
		if !guarded[dir] {
			broken = append(broken, dir+": no TestMain calls system.Main, which leaves the package out of -short and looks for goroutines that are left")
		}
	}
	return broken
}

// uses returns the places at which a file names something of a package.
func uses(s source, pkg, name string) (all []ast.Node) {
	names := imports(s.File)
	ast.Inspect(s.File, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if p, called, ok := qualified(e, names); ok && p == pkg && called == name {
				all = append(all, n)
			}
		}
		return true
	})
	return all
}

// callsIn reports whether a function of a file names something of a package.
func callsIn(s source, function, pkg, name string) bool {
	for _, d := range s.File.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Name.Name != function {
			continue
		}
		for _, n := range uses(s, pkg, name) {
			if f.Pos() <= n.Pos() && n.Pos() < f.End() {
				return true
			}
		}
	}
	return false
}

// leftOut returns the directories in which -short leaves something out, without those of
// whole-system tests.
func leftOut(all []source) []string {
	dirs := map[string]bool{}
	for _, s := range all {
		asks := len(uses(s, module+"/"+timeDir, "SlowPackage")) + len(uses(s, module+"/"+timeDir, "Slow"))
		if asks > 0 && s.Dir != systemDir {
			dirs[s.Dir] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs))
}

// listedShort returns the first column of the table under the heading "What -short leaves out".
func listedShort(page string) (dirs []string, err error) {
	_, section, found := strings.Cut(page, "\n## What -short leaves out\n")
	if !found {
		return nil, fmt.Errorf("no section %q", "What -short leaves out")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		dirs = append(dirs, m[1])
	}
	return dirs, nil
}

// TestShort: -short leaves out what docs/testing.md lists, and nothing else.
func TestShort(t *testing.T) {
	t.Parallel()
	all := sources(t)
	report(t, brokenShort(all))
	report(t, brokenSystems(all))
	page, err := os.ReadFile(filepath.Join(root, "docs", "testing.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed, err := listedShort(string(page))
	if err != nil {
		t.Fatal("docs/testing.md: ", err)
	}
	want := append([]string{e2eDir + "/*"}, leftOut(all)...)
	for _, dir := range want {
		if !slices.Contains(listed, dir) {
			t.Errorf("docs/testing.md does not list %s, of which -short leaves tests out", dir)
		}
	}
	for _, dir := range listed {
		if !slices.Contains(want, dir) {
			t.Errorf("docs/testing.md lists %s, of which -short leaves nothing out", dir)
		}
	}
}

// TestBrokenShort breaks each rule of -short once.
func TestBrokenShort(t *testing.T) {
	t.Parallel()
	const (
		asks  = "package a\n\nimport \"testing\"\n\nfunc f() { if testing.Short() { return } }\n"
		main  = "package a\n\nimport \"" + module + "/internal/test/e2e/system\"\n\nfunc TestMain(m *testing.M) { os.Exit(system.Main(m, nil)) }\n"
		other = "package a\n\nimport \"" + module + "/internal/test/e2e/system\"\n\nfunc TestA(t *testing.T) { system.Main(nil, nil) }\n"
	)
	for _, tt := range []struct {
		rule       func([]source) []string
		file, text string
		want       int
	}{
		{brokenShort, "a/a_test.go", asks, 1},
		{brokenShort, timeDir + "/short.go", asks, 0},
		{brokenSystems, e2eDir + "/a/a_test.go", main, 0},
		{brokenSystems, e2eDir + "/a/a_test.go", other, 1},
		{brokenSystems, e2eDir + "/a/a_test.go", "package a\n", 1},
		{brokenSystems, e2eDir + "/a/a.go", "package a\n", 0},
		{brokenSystems, systemDir + "/a_test.go", "package system\n", 0},
		{leftOut, "a/a_test.go", "package a\n\nimport \"" + module + "/internal/test/testtime\"\n\nfunc f() { testtime.Slow(nil, \"\") }\n", 1},
		{leftOut, "a/a_test.go", "package a\n", 0},
	} {
		if got := tt.rule([]source{parse(t, tt.file, tt.text)}); len(got) != tt.want {
			t.Errorf("%s, %q: %q, want %d findings", tt.file, tt.text, got, tt.want)
		}
	}
	if dirs, err := listedShort("# A\n\n## What -short leaves out\n\n| `a/*` | why |\n| b | |\n\n## B\n\n| `c` | |\n"); err != nil || !slices.Equal(dirs, []string{"a/*"}) {
		t.Errorf("listedShort = %q, %v", dirs, err)
	}
	if _, err := listedShort("# A\n"); err == nil {
		t.Error("a page without the section passes")
	}
}
