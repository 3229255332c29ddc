package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func functions(entries []Entry) (list []string) {
	for _, e := range entries {
		list = append(list, fmt.Sprintf("%d %s=%s", e.Index, e.Definition.Name, e.Function))
	}
	return list
}

// wantProblems compares the beginnings of the problems, without their file.
func wantProblems(t *testing.T, of string, problems []Problem, want ...string) {
	t.Helper()
	var got []string
	for _, p := range problems {
		got = append(got, strings.TrimPrefix(p.String(), p.File))
	}
	if len(got) != len(want) || !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("problems of %.200s are\n  %s\nwant\n  %s", of, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	entries, problems := Parse("weather.json", []byte(`{"name": "weather", "description": "Tells the weather."}`))
	wantProblems(t, "a short manifest", problems)
	if len(entries) != 1 {
		t.Fatalf("%d entries, want 1", len(entries))
	}
	want := tool.Definition{
		Name: "weather", Description: "Tells the weather.", Category: "JavaScript", Group: "js", Version: "1",
		Parameters: json.RawMessage(`{"type":"object","properties":{}}`), Risk: tool.Low, Confirmation: tool.ConfirmIfDestructive, Mutates: true,
		Scopes: tool.Scopes{Paths: []string{}, Hosts: []string{}, Apps: []string{}}, RequiredPermissions: []string{}, TimeoutSeconds: 30,
		Tags: []string{}, Pool: "default", Kind: "js", Enabled: true,
	}
	if diff := cmp.Diff(want, entries[0].Definition); diff != "" {
		t.Error(diff)
	}
	if e := entries[0]; e.Index != Whole || e.Function != "execute" || len(e.Env) != 0 || e.Schema == nil {
		t.Errorf("entry = %+v", e)
	}
}

// full names every field, with a value that is not its default.
const full = `{"name": "a", "description": "d", "category": "c", "group": "g", "version": "2", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}},
	"result_schema": {"type": "object"}, "risk": "medium", "confirmation": "always", "requires_confirmation": true, "mutates": true, "destructive": true, "idempotent": true,
	"open_world": true, "scopes": {"paths": ["workspace"], "hosts": ["*.example.com"], "apps": ["x"]}, "required_permissions": ["p"], "timeout_seconds": 2.5,
	"limit": {"param": "n", "max": 50, "default": 20}, "tags": ["t"], "pool": "gpu", "kind": "js", "enabled": false, "function": "run", "env": ["KEY"]}`

func TestEveryField(t *testing.T) {
	t.Parallel()
	want := tool.Definition{
		Name: "a", Description: "d", Category: "c", Group: "g", Version: "2",
		Parameters:   json.RawMessage(`{"type": "object", "properties": {"n": {"type": "integer"}}}`),
		ResultSchema: json.RawMessage(`{"type": "object"}`), Risk: tool.Medium, Confirmation: tool.ConfirmAlways,
		RequiresConfirmation: true, Mutates: true, Destructive: true, Idempotent: true, OpenWorld: true,
		Scopes:              tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*.example.com"}, Apps: []string{"x"}},
		RequiredPermissions: []string{"p"}, TimeoutSeconds: 2.5, Limit: &tool.Limit{Param: "n", Max: 50, Default: 20}, Tags: []string{"t"},
		Pool: "gpu", Kind: "js", Enabled: false,
	}
	camelCase := strings.NewReplacer("result_schema", "resultSchema", "requires_confirmation", "requiresConfirmation", "open_world",
		"openWorld",
		"required_permissions", "requiredPermissions", "timeout_seconds", "timeoutSeconds", "parameters", "argsSchema").Replace(full)
	for _, text := range []string{full, camelCase, strings.Replace(full, "parameters", "args_schema", 1)} {
		entries, problems := Parse("g.json", []byte("["+text+"]"))
		wantProblems(t, text, problems)
		if len(entries) != 1 {
			continue
		}
		if diff := cmp.Diff(want, entries[0].Definition); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
		if e := entries[0]; e.Function != "run" || !slices.Equal(e.Env, []string{"KEY"}) || e.Index != 0 {
			t.Errorf("entry = %+v", e)
		}
	}
}

// TestPartOfAnObject: what an object leaves out keeps its default.
func TestPartOfAnObject(t *testing.T) {
	t.Parallel()
	entries, problems := Parse("a.json", []byte(`{"name": "a", "description": "d", "scopes": {"hosts": ["*.example.com"]}}`))
	wantProblems(t, "some scopes", problems)
	want := tool.Scopes{Paths: []string{}, Hosts: []string{"*.example.com"}, Apps: []string{}}
	if len(entries) != 1 || !cmp.Equal(entries[0].Definition.Scopes, want) {
		t.Errorf("entries are %+v, want scopes %+v", entries, want)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	entry := func(name, function string) string {
		return fmt.Sprintf(`{"name": %q, "description": "d", "function": %q}`, name, function)
	}
	many := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = entry(fmt.Sprintf("t%d", i), "f")
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	for _, tt := range []struct {
		text     string
		entries  []string
		problems []string
	}{
		{
			"[" + entry("drive_list", "listFiles") + "," + entry("drive_read", "readFile") + "]",
			[]string{"0 drive_list=listFiles", "1 drive_read=readFile"}, nil,
		},
		{`[{"description": "d", "function": "f"},` + entry("b", "f") + "]", []string{"1 b=f"}, []string{"[0]: name is missing"}},
		{`[{"name": "a", "description": "d"},` + entry("b", "f") + "]", []string{"1 b=f"}, []string{"[0]: function is missing"}},
		{
			`[{"name": "a", "function": "f"}, 5, null]`, nil,
			[]string{"[0]: description is missing", "[1]: expected an object, got number", "[2]: expected an object, got null"},
		},
		{"[" + entry("a", "f") + "," + entry("a", "g") + "]", []string{"0 a=f"}, []string{"[1]: the name a is taken by entry 0"}},
		{`[{"name": "a"},` + entry("a", "g") + "]", []string{"1 a=g"}, []string{"[0]: function is missing", "[0]: description is missing"}},
		{"[" + entry("a", "../inject") + "," + entry("b", "") + "," + entry("c", "$f_1") + "," + entry("d", "f()") + "]",
			[]string{"2 c=$f_1"}, []string{
				`[0]: function "../inject" must match`, `[1]: function "" must match`, `[3]: function "f()" must match`,
			}},
		{"[]", nil, []string{": warning: the group is empty"}},
		{many(MaxGroup + 1), nil, []string{": the group has 51 entries, at most 50"}},
	} {
		entries, problems := Parse("g.json", []byte(tt.text))
		wantProblems(t, tt.text, problems, tt.problems...)
		if got := functions(entries); !slices.Equal(got, tt.entries) {
			t.Errorf("entries of %.200s are %q, want %q", tt.text, got, tt.entries)
		}
	}
	if entries, problems := Parse("g.json", []byte(many(MaxGroup))); len(entries) != MaxGroup || problems != nil {
		t.Errorf("a full group has %d entries and problems %v", len(entries), problems)
	}
}

func TestShortParameters(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{}`: `{"type":"object"}`,
		`{"properties": {"q": {"type": "string"}}, "required": ["q"]}`: `{"type":"object","properties": {"q": {"type": "string"}}, "required": ["q"]}`,

		`{ "properties": {"type": {"type": "string"}}}`:            `{"type":"object", "properties": {"type": {"type": "string"}}}`,
		`{"type": "object", "properties": {"q": {}}}`:              `{"type": "object", "properties": {"q": {}}}`,
		`{"properties": {"n": {"type": "integer", "default": 1}}}`: `{"type":"object","properties": {"n": {"type": "integer", "default": 1}}}`,

		`{"properties": {"k": {"type": "string", "enum": ["a", "b"]}}} `: `{"type":"object","properties": {"k": {"type": "string", "enum": ["a", "b"]}}}`,
	} {
		entries, problems := Parse("a.json", []byte(`{"name": "a", "description": "d", "parameters": `+given+`}`))
		wantProblems(t, given, problems)
		if len(entries) != 1 || string(entries[0].Definition.Parameters) != want {
			t.Errorf("parameters %s became %v, want %s", given, entries, want)
		}
	}
}
