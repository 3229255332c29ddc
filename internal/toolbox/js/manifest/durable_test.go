package manifest

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestDurable: the fields of a durable tool, their defaults, and what cannot be combined with them.
func TestDurable(t *testing.T) {
	t.Parallel()
	parse := func(fields string) ([]Entry, []Problem) {
		return Parse("a.json", []byte(`{"name": "a", "description": "d"`+fields+`}`))
	}
	entries, problems := parse(`, "durable": true, "tools": ["x", "files.*"]`)
	wantProblems(t, "a durable tool", problems)
	if def := entries[0].Definition; !def.Durable || len(def.Tools) != 2 || def.Mutates || def.TimeoutSeconds != 3600 || entries[0].Stated != (Stated{}) {
		t.Errorf("it is %+v, states %+v", def, entries[0].Stated)
	}
	entries, problems = parse(`, "durable": true, "timeoutSeconds": 2592000, "risk": "low", "scopes": {"hosts": ["a.example"]}`)
	wantProblems(t, "without tools", problems)
	if def := entries[0].Definition; def.Tools == nil || len(def.Tools) != 0 || entries[0].Stated != (Stated{Risk: true, Hosts: true}) {
		t.Errorf("it is %+v, states %+v", def, entries[0].Stated)
	}
	for fields, want := range map[string]string{
		`, "tools": ["x"]`:                                                `add "durable": true`,
		`, "durable": true, "tools": ["a*b"]`:                             "tools[0]: 'a*b' is neither",
		`, "durable": true, "tools": "x"`:                                 "tools: expected array of strings",
		`, "durable": true, "env": ["KEY"]`:                               "sees no environment",
		`, "durable": true, "timeout_seconds": 2592001`:                   "at most",
		`, "durable": true, "tool": ["x"]`:                                `unknown field "tool"; did you mean tools?`,
		`, "durabel": true`:                                               `unknown field "durabel"; did you mean durable?`,
		`, "durable": "yes"`:                                              "durable: expected boolean",
		`, "durable": false, "tools": []`:                                 `add "durable": true`,
		`, "timeout_seconds": 86401`:                                      "at most 86400",
		`, "durable": true, "tools": ["x", "y", "x"]`:                     "tools[2]: 'x' is there already",
		`, "durable": true, "tools": ["` + strings.Repeat("x", 65) + `"]`: "is neither",
	} {
		if entries, problems := parse(fields); len(entries) != 0 || len(problems) != 1 || problems[0].Warning ||
			!strings.Contains(problems[0].Reason, want) {
			t.Errorf("%s: %d entries, %v, want %s", fields, len(entries), problems, want)
		}
	}
	if _, problems := Definition([]byte(`{"name": "a", "description": "d", "durable": true, "tools": ["x"]}`), tool.Definition{Kind: tool.KindRemote}); len(problems) != 1 ||
		!strings.Contains(problems[0], "tools directory") {
		t.Errorf("a process registers a durable tool: %q", problems)
	}
}

// TestUnderstates: what is stated may be more than that of a tool, never less.
func TestUnderstates(t *testing.T) {
	t.Parallel()
	all := Stated{Risk: true, Mutates: true, OpenWorld: true, Paths: true, Hosts: true, Apps: true}
	strong := tool.Definition{
		Name: "strong", Risk: tool.High, Mutates: true, OpenWorld: true,
		Scopes: tool.Scopes{Paths: []string{"p"}, Hosts: []string{"h"}, Apps: []string{"a"}},
	}
	for name, change := range map[string]func(*tool.Definition){
		"risk":         func(d *tool.Definition) { d.Risk = tool.Medium },
		"mutates":      func(d *tool.Definition) { d.Mutates = false },
		"open_world":   func(d *tool.Definition) { d.OpenWorld = false },
		"scopes.paths": func(d *tool.Definition) { d.Scopes.Paths = []string{"q"} },
		"scopes.hosts": func(d *tool.Definition) { d.Scopes.Hosts = []string{"other"} },
		"scopes.apps":  func(d *tool.Definition) { d.Scopes.Apps = []string{"b"} },
	} {
		weak := strong
		change(&weak)
		if got := all.Understates(&weak, &strong); !strings.HasPrefix(got, name) || !strings.Contains(got, "'strong'") {
			t.Errorf("%s: %q", name, got)
		}
		if got := (Stated{}).Understates(&weak, &strong); got != "" {
			t.Errorf("%s is not stated, and is refused: %q", name, got)
		}
	}
	more := strong
	more.Scopes.Paths, more.Scopes.Apps = []string{"p", "q"}, []string{"*"}
	if got := all.Understates(&more, &strong); got != "" {
		t.Errorf("more is refused: %q", got)
	}
}
