package tool

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type noArgs struct{}

// minimal is the least a Spec must say.
func minimal(name string) Spec[noArgs, string] {
	return Spec[noArgs, string]{
		Name: name, Description: "Does it.", Risk: Low, Timeout: time.Second,
		Run: func(context.Context, *Call, noArgs) (string, error) { return "ok", nil },
	}
}

func TestAddPanics(t *testing.T) {
	for says, change := range map[string]func(*Spec[noArgs, string]){
		"name must match":               func(s *Spec[noArgs, string]) { s.Name = "" },
		`"new-tool": name must match`:   func(s *Spec[noArgs, string]) { s.Name = "new-tool" },
		"at most 64 bytes":              func(s *Spec[noArgs, string]) { s.Name = strings.Repeat("a", 65) },
		`alias "-" is not a valid name`: func(s *Spec[noArgs, string]) { s.Aliases = []string{"-"} },
		"description is missing":        func(s *Spec[noArgs, string]) { s.Description = "" },
		"risk must be":                  func(s *Spec[noArgs, string]) { s.Risk = "" },
		"confirmation must be":          func(s *Spec[noArgs, string]) { s.Confirmation = "perhaps" },
		"timeout must be above 0":       func(s *Spec[noArgs, string]) { s.Timeout = 0 },
		"limit needs a parameter":       func(s *Spec[noArgs, string]) { s.Limit = &Limit{Param: "n", Default: 3, Max: 2} },
		"a destructive tool mutates":    func(s *Spec[noArgs, string]) { s.Destructive = true },
		"Run is missing":                func(s *Spec[noArgs, string]) { s.Run = nil },
		`"taken": the name is taken`:    func(s *Spec[noArgs, string]) { s.Name = "taken" },
		`"old": the name is taken`:      func(s *Spec[noArgs, string]) { s.Aliases = []string{"old"} },
	} {
		t.Run(says, func(t *testing.T) {
			set := NewSet("Test", "test")
			first := minimal("taken")
			first.Aliases = []string{"old"}
			Add(set, first)
			spec := minimal("new_tool")
			change(&spec)
			defer func() {
				if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("Add panicked with %v, want %q", err, says)
				}
			}()
			Add(set, spec)
		})
	}
}

func TestAddPanicsOnTypes(t *testing.T) {
	defer func() {
		if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), `tool "x": arguments: `) {
			t.Errorf("Add panicked with %v, want one that names the tool and its arguments", err)
		}
	}()
	Add(NewSet("Test", "test"), Spec[chan int, string]{Name: "x"})
}

func TestAddFillsInTheDefinition(t *testing.T) {
	set := NewSet("File System", "files")
	got := Add(set, minimal("b")).Definition
	want := Definition{
		Name: "b", Description: "Does it.", Category: "File System", Group: "files", Version: "1",
		Parameters:   []byte(`{"type":"object","properties":{}}`),
		ResultSchema: []byte(`{"type":"string"}`),
		Risk:         Low, Confirmation: ConfirmIfDestructive,
		Scopes:              Scopes{Paths: []string{}, Hosts: []string{}, Apps: []string{}},
		RequiredPermissions: []string{}, TimeoutSeconds: 1, Tags: []string{},
		Pool: "default", Kind: KindBuiltin, Enabled: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("definition (-want +got):\n%s", diff)
	}
	if d := got.Timeout(); d != time.Second {
		t.Errorf("Timeout() = %v, want 1s", d)
	}
}

func TestToolsAreInOrder(t *testing.T) {
	set := NewSet("Test", "test")
	for _, name := range []string{"c", "a", "b"} {
		Add(set, minimal(name))
	}
	var names []string
	for _, one := range set.Tools() {
		names = append(names, one.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, names); diff != "" || set.Group() != "test" {
		t.Errorf("group %s, tools (-want +got):\n%s", set.Group(), diff)
	}
}

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "read_file": true, "files.read_text": true, "A1.b2.c3": true, strings.Repeat("a", 64): true,
		"": false, "1a": false, "_a": false, "a-b": false, "a.": false, ".a": false, "a..b": false, "a.1": false,
		"a b": false, "é": false, "a\n": false, strings.Repeat("a", 65): false,
	} {
		if got := ValidName(name); got != want {
			t.Errorf("ValidName(%q) = %v, want %v", name, got, want)
		}
	}
}

// TestValidNameIsItsPattern compares the scan with the pattern for every name of up to
// five of the bytes that matter, and for the bounds of a long one.
func TestValidNameIsItsPattern(t *testing.T) {
	pattern := regexp.MustCompile(namePattern)
	compare := func(name string) {
		if got, want := ValidName(name), len(name) <= MaxNameLength && pattern.MatchString(name); got != want {
			t.Errorf("ValidName(%q) = %v, the pattern says %v", name, got, want)
		}
	}
	all := []string{""}
	for range 5 {
		var longer []string
		for _, name := range all {
			for _, c := range []byte("aZ09_.-\n\xc3") {
				longer = append(longer, name+string([]byte{c}))
			}
		}
		for _, name := range longer {
			compare(name)
		}
		all = longer
	}
	for c := range 256 {
		for _, name := range []string{string([]byte{byte(c)}), "a" + string([]byte{byte(c)}), "a." + string([]byte{byte(c)})} {
			compare(name)
		}
	}
	for n := range 70 {
		compare(strings.Repeat("a", n))
		compare(strings.Repeat("a.", n) + "b")
	}
}

func BenchmarkValidName(b *testing.B) {
	for b.Loop() {
		if !ValidName("files.read_text_of_many") {
			b.Fatal("the name is not valid")
		}
	}
}
