package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const harmless = `forbid(principal, action == Action::"execute", resource == Tool::"nothing");`

// TestNewNamesThePlace: a bad file is refused whole, by file, line and column.
func TestNewNamesThePlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, at, want string }{
		{harmless + "\nforbid(principal, action, resource)", ":2:36: ", `";" belongs`},
		{"permit(principal,\n  whatever, resource);", ":2:11: ", `found "whatever" where "action" belongs`},
		{harmless + "\n" + `forbid(principal, action, resource) when { "open };`, ":2:44: ", "not terminated"},
		{
			harmless + "\n\n" + harmless + ` forbid(principal, action, resource) when { 99999999999999999999 > 1 };`, ":3:1: ",
			"in this rule or the next",
		},
		{"\xff", ":1:1: ", "UTF-8"},
		{
			harmless + "\nforbid(principal, action, resource) when { " + strings.Repeat("(", 1000) + "true" + strings.Repeat(")", 1000) + " };",
			":2:1: ", "nested too deep",
		},
	} {
		path := ruleFile(t, "10-bad.cedar", tt.text)
		if _, err := New(Options{Rules: []string{path}}); err == nil || !strings.HasPrefix(err.Error(), path+tt.at) ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("New with %.60q = %v, want %s and %q", tt.text, err, "10-bad.cedar"+tt.at, tt.want)
		}
	}
}

// TestNewNamesEveryProblem: one round of mending is enough.
func TestNewNamesEveryProblem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"10.cedar": harmless + "\n" + `@id("a") forbid(principal, action, resource == Tools::"x");`,
		"20.cedar": "forbid(",
		"30.cedar": `@id("b") ` + harmless + "\n" + `@id("b") ` + harmless,
		"40.cedar": `@id("a") ` + harmless,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := New(Options{Rules: []string{dir}})
	if err == nil {
		t.Fatal("New took files with problems")
	}
	lines := strings.Split(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""), "\n")
	want := []string{
		"10.cedar:2:1: there is no entity type Tools", "20.cedar:1:", `30.cedar:2:1: the @id "b" is taken by the rule at 30.cedar:1:1`,
		`40.cedar:1:1: the @id "a" is taken by the rule at 10.cedar:2:1`,
	}
	if len(lines) != len(want) || !slices.EqualFunc(lines, want, strings.HasPrefix) {
		t.Errorf("New = %q, want %q", lines, want)
	}
}

func TestFilesAndTheirOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"20-b.cedar", "10-a.cedar", "notes.txt", ".cedar/x.cedar", "deeper/30-c.cedar"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(`forbid(principal, action, resource);`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	alone := ruleFile(t, "00-alone.rules", harmless)
	p, err := New(Options{Rules: []string{dir, alone}})
	if err != nil {
		t.Fatal(err)
	}
	got := p.InForce()
	want := []string{filepath.Join(dir, "10-a.cedar"), filepath.Join(dir, "20-b.cedar"), alone}
	if !slices.Equal(got.Files, want) || got.Rules != 3 || len(got.SHA256) != 64 || got.Err != nil {
		t.Errorf("InForce = %+v, want 3 rules of %q", got, want)
	}
	if d := p.Decide(call(writeFile, "{}")); d.Rule != "10-a.cedar#1" {
		t.Errorf("decided by %s, want the first file by name", d.Rule)
	}
}

func TestNewRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	one, two := ruleFile(t, "10.cedar", harmless), ruleFile(t, "10.cedar", harmless)
	big := ruleFile(t, "big.cedar", "//"+strings.Repeat("x", maxFile))
	for _, tt := range []struct {
		rules []string
		want  string
	}{
		{[]string{filepath.Join(t.TempDir(), "none.cedar")}, "none.cedar"},
		{[]string{one, two}, "second rule file of this name"},
		{[]string{big}, "split it"},
		{[]string{os.DevNull}, "not a regular file"},
	} {
		if _, err := New(Options{Rules: tt.rules}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("New(%q) = %v, want %q", tt.rules, err, tt.want)
		}
	}
}

// FuzzLoad: no text makes the loader panic, and what it takes decides.
func FuzzLoad(f *testing.F) {
	f.Add(harmless)
	f.Add(`@id("a") @narrow_paths("x,y") permit(principal in User::"a/b", action in [Action::"execute"], resource is Tool in Group::"g") when { context.arguments has a.b } unless { resource.hosts.containsAny(["x"]) };`)
	f.Add(`forbid(principal, action, resource) when { if -1 < 2 * 3 then principal is Caller in Tenant::"t" else {"a": [1]}["a"].contains(decimal("1.5")) };`)
	f.Add("@x @y(\"\\u{1F600}\")forbid(principal==A::B::\"\",action,resource)when{!(!(true))};")
	f.Fuzz(func(t *testing.T, text string) {
		set, err := parse([]source{{"f.cedar", []byte(text)}})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.cedar:") {
				t.Errorf("error %q names no place", err)
			}
			return
		}
		p, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.inForce.Store(set)
		if got := p.Decide(call(httpRequest, `{"a": {"b": 1}, "url": "x"}`)); got.Rule == "policy:failed" {
			t.Errorf("Decide panicked inside with %q", text)
		} else if fmt.Sprint(got.Outcome) == "" {
			t.Error("no outcome")
		}
	})
}
