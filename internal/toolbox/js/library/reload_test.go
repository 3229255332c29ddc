package library

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// wantCalls runs tools and compares their results; "-" means that the tool does not
// exist.
func wantCalls(t *testing.T, l *Library, step string, want map[string]string) {
	t.Helper()
	for name, value := range want {
		got, err := call(t, l, name, "{}")
		if value == "-" {
			if err == nil {
				t.Errorf("%s: %s = %s, want no such tool", step, name, got)
			}
		} else if got != `"`+value+`"` {
			t.Errorf("%s: %s = %s, %v, want %q", step, name, got, err, value)
		}
	}
}

// TestReload tries the ways in which a group can change. An invalid part stays as it
// was, and no other part does.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const script = "function a() { return 'a1' } function b() { return 'b1' }"
	two, _ := group("", [2]string{"ta", "a"}, [2]string{"tb", "b"})
	write(t, dir, single("solo", "s1"))
	l := open(t, Options{Dirs: []string{dir}})
	for _, tt := range []struct {
		step     string
		files    map[string]string
		want     map[string]string
		problems []string
		same     bool // Reload finds nothing
	}{
		{"new pair", map[string]string{"g.json": two, "g.js": script}, map[string]string{"ta": "a1", "tb": "b1"}, nil, false},
		{"nothing", nil, map[string]string{"ta": "a1"}, nil, true},
		{"broken script", map[string]string{"g.js": "function a( {"}, map[string]string{"ta": "a1", "tb": "b1"}, []string{"g.js: "}, false},
		{"still broken", nil, map[string]string{"ta": "a1", "tb": "b1"}, []string{"g.js: "}, true},
		{
			"script mended", map[string]string{"g.js": "function a() { return 'a2' } function b() { return 'b2' }"},
			map[string]string{"ta": "a2", "tb": "b2"}, nil, false,
		},
		{
			"function gone", map[string]string{"g.js": "function a() { return 'a3' }"}, map[string]string{"ta": "a3", "tb": "b2"},
			[]string{"g.json[1]: g.js defines no function b" + stays}, false,
		},
		{"entry bad",
			map[string]string{
				"g.json": `[{"name": "ta", "description": "x", "function": "a"}, {"name": "tb", "description": "x", "function": "a", "risk": "no"}]`,
			},
			map[string]string{"ta": "a3", "tb": "b2"}, []string{"g.json[1]: risk must be"}, false},
		{"entry without a name",
			map[string]string{"g.json": `[{"name": "ta", "description": "x", "function": "a"}, {"name": 5, "description": "x", "function": "a"}]`},
			map[string]string{"ta": "a3", "tb": "b2"}, []string{"g.json[1]: name: expected string, got number" + stays}, false},
		{
			"manifest broken", map[string]string{"g.json": `[`}, map[string]string{"ta": "a3", "tb": "b2"},
			[]string{"g.json: not valid JSON"}, false,
		},
		{
			"entry removed", map[string]string{"g.json": `[{"name": "ta", "description": "x", "function": "a"}]`},
			map[string]string{"ta": "a3", "tb": "-"}, nil, false,
		},
		{
			"single renamed by mistake", map[string]string{"solo.json": `{"name": "sola", "description": "x"}`},
			map[string]string{"solo": "s1", "sola": "-"}, []string{`solo.json: name "sola" must be that of the file`}, false,
		},
		{"single back", single("solo", "s2"), map[string]string{"solo": "s2"}, nil, false},
	} {
		write(t, dir, tt.files)
		if changed := l.Reload(); changed == tt.same {
			t.Errorf("%s: Reload = %v, want %v", tt.step, changed, !tt.same)
		}
		wantCalls(t, l, tt.step, tt.want)
		wantProblems(t, l, tt.problems...)
	}
	remove(t, filepath.Join(dir, "solo.js"))
	l.Reload()
	wantCalls(t, l, "script removed", map[string]string{"solo": "-", "ta": "a3"})
	wantProblems(t, l, "solo.json: solo.js is missing")
	remove(t, filepath.Join(dir, "solo.json"))
	remove(t, filepath.Join(dir, "g.json"))
	remove(t, filepath.Join(dir, "g.js"))
	l.Reload()
	wantCalls(t, l, "all removed", map[string]string{"ta": "-"})
	wantProblems(t, l)
}

// TestReloadKeepsWhatDidNotChange: a tool is replaced only if its files changed, and a
// script is compiled again only if it changed.
func TestReloadKeepsWhatDidNotChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, single("a", "1"))
	write(t, dir, single("b", "1"))
	l := open(t, Options{Dirs: []string{dir}})
	before, program := l.Tools(), l.folders[0].pairs["b"].program
	write(t, dir, map[string]string{"b.json": `{"name": "b", "description": "Changed."}`})
	if !l.Reload() {
		t.Error("Reload found nothing")
	}
	after := l.Tools()
	if after[0].Tool != before[0].Tool || after[1].Tool == before[1].Tool || after[1].Tool.Description != "Changed." {
		t.Errorf("a is the same: %v, b is the same: %v, want a only", after[0].Tool == before[0].Tool, after[1].Tool == before[1].Tool)
	}
	if l.folders[0].pairs["b"].program != program {
		t.Error("the script of b was compiled again")
	}
}

// TestLostDirectory: a directory that cannot be read, as when a mount is gone for a
// while, keeps its tools.
func TestLostDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tools")
	write(t, dir, single("a", "1"))
	l := open(t, Options{Dirs: []string{dir}})
	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	if !l.Reload() {
		t.Error("Reload did not notice")
	}
	wantCalls(t, l, "away", map[string]string{"a": "1"})
	wantProblems(t, l, ".: the directory cannot be read; its tools stay as they were")
	if err := os.Rename(dir+"-away", dir); err != nil {
		t.Fatal(err)
	}
	l.Reload()
	wantProblems(t, l)
}

// TestProblemsAreLoggedOnce: a second look at the same files logs nothing.
func TestProblemsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	core, seen := observer.New(zap.WarnLevel)
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.json": "[{}, 5]", "a.js": "", "b.json": "{}"})
	l := open(t, Options{Dirs: []string{dir}, Log: zap.New(core)})
	first := seen.Len()
	if first != len(l.Problems()) || first < 3 {
		t.Errorf("%d lines for %d problems, want one for each", first, len(l.Problems()))
	}
	l.Reload()
	write(t, dir, map[string]string{"c.json": "{}"})
	l.Reload()
	lines := seen.All()[first:]
	if len(lines) != 1 || lines[0].ContextMap()["file"] != "c.json" || lines[0].ContextMap()["dir"] != dir {
		t.Errorf("later lines are %v, want one about c.json", lines)
	}
	if i := slices.IndexFunc(seen.All(), func(e observer.LoggedEntry) bool { return e.ContextMap()["entry"] == int64(1) }); i < 0 {
		t.Error("no line names entry 1")
	}
}
