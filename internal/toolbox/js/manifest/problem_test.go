package manifest

import (
	"strings"
	"testing"
)

// TestFilesOfNoUse: what no entry can be read from is one problem.
func TestFilesOfNoUse(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for text, want := range map[string]string{
		"":                           ": not valid JSON: it is empty",
		"5":                          ": expected an object for one tool or an array for a group, got number",
		`"x"`:                        ": expected an object for one tool or an array for a group, got string",
		"null":                       ": expected an object for one tool or an array for a group, got null",
		"{\n  \"name\": \"a\",,\n}":  ": not valid JSON: ",
		`{"name": "a", "name": "b"}`: ": duplicate key 'name'",
		`{"name": "a"} {}`:           ": not valid JSON: something follows the value",
		"{\"name\": \"\xff\"}":       ": not valid JSON",
		deep:                         ": nested more than 128 levels deep",
		strings.Repeat(" ", 1<<20+1): ": larger than 1 MiB",
	} {
		entries, problems := Parse("a.json", []byte(text))
		wantProblems(t, text, problems, want)
		if entries != nil {
			t.Errorf("%.40q has entries %v", text, entries)
		}
	}
	_, problems := Parse("a.json", []byte("{\n  \"name\": \"a\",,\n}"))
	if got := problems[0].Reason; !strings.HasSuffix(got, "(line 2, column 15)") {
		t.Errorf("reason %q, want the line and the column", got)
	}
	if entries, problems := Parse("a.json", []byte("\ufeff{\"name\": \"a\", \"description\": \"d\"}")); len(entries) != 1 || problems != nil {
		t.Errorf("a file with a byte order mark: %v, %v", entries, problems)
	}
}

// TestProblemsOfAnEntry: the problem of each field names the place and the expected
// value, and all are reported together.
func TestProblemsOfAnEntry(t *testing.T) {
	t.Parallel()
	for members, want := range map[string][]string{
		`"description": 5`:       {": description: expected string, got number", ": description is missing"},
		`"timeoutSeconds": "10"`: {": timeoutSeconds: expected number, got string"},
		`"timeout_seconds": 0`:   {": timeout must be above 0"},
		`"timeout_seconds": 1e9`: {": timeout_seconds is 1e+09, at most 86400"},
		`"mutates": "yes", "tags": "a"`: {
			": mutates: expected boolean, got string", ": tags: expected array of strings, got string",
		},
		`"tags": ["a", 5]`:                                {": tags[1]: expected string, got number"},
		`"tags": [""]`:                                    {": tags has an empty string"},
		`"required_permissions": [null]`:                  {": required_permissions has an empty string"},
		`"scopes": {"hosts": [{}]}`:                       {": scopes.hosts[0]: expected string, got object"},
		`"scopes": {"host": ["a.example"]}`:               {": scopes.host: unknown field; did you mean hosts?"},
		`"scopes": {"hosts": ["http://a.example"]}`:       {`: scopes: host scope "http://a.example"`},
		`"scopes": null`:                                  {": scopes: expected object, got null; leave it out"},
		`"limit": {"param": "n", "max": 1.5}`:             {": limit.max: expected integer, got number"},
		`"limit": {"param": "n", "max": 5, "default": 1}`: {": parameters: there is no parameter 'n'"},
		`"limit": []`:                                     {": limit: expected object, got array"},
		`"parameters": []`:                                {": parameters: expected object, got array"},
		`"parameters": {"type": "string"}`:                {": parameters: the root of a tool's parameters must have"},
		`"parameters": {"properties": {"n": {"type": "integer", "default": "x"}}}`: {": parameters: the default does not fit"},
		`"parameters": {"propertys": {}}`:                                          {": parameters: "},
		`"result_schema": "text"`:                                                  {": result_schema: expected object, got string"},
		`"result_schema": {"type": "object", "required": 5}`:                       {": result_schema: "},
		`"risk": "extreme", "confirmation": "maybe"`: {
			": risk must be low, medium or high", ": confirmation must be never",
		},
		`"destructive": true, "mutates": false`: {": a destructive tool mutates"},
		`"kind": "builtin"`:                     {`: kind is "builtin"`},
		`"pool": "a b"`:                         {`: pool "a b" must match`},
		`"function": "other"`:                   {`: function is "other", but a single tool runs execute`},
		`"function": "execute"`:                 nil,
		`"env": ["A", "A", "1X", ""]`: {
			": env[1]: A is there already", `: env[2]: "1X" must match`, `: env[3]: "" must match`,
		},
		`"timeoutSeconds": 5, "timeout_seconds": 5`: {
			": timeout_seconds is given twice, as timeoutSeconds and as timeout_seconds",
		},
		`"args_schema": {}, "parameters": {}`: {": parameters is given twice"},
		`"openworld": true`: {
			`: warning: unknown field "openworld"; did you mean openWorld?`,
		},
		`"$schema": "x", "timeout": 5`: {
			`: warning: unknown field "$schema"; it has no effect`, `: warning: unknown field "timeout"; `,
		},
	} {
		text := `{"name": "a", ` + members + `}`
		if !strings.Contains(members, "description") {
			text = `{"name": "a", "description": "d", ` + members + `}`
		}
		entries, problems := Parse("a.json", []byte(text))
		wantProblems(t, members, problems, want...)
		broken := len(want) > 0 && !strings.HasPrefix(want[0], ": warning")
		if broken == (len(entries) > 0) {
			t.Errorf("%s: %d entries", members, len(entries))
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{
		"a": true, "read_file2": true, strings.Repeat("a", 64): true,
		"": false, "A": false, "2a": false, "_a": false, "a-b": false, "a.b": false, "a b": false, "é": false, "a\n": false,
		strings.Repeat("a", 65): false,
	} {
		if err := CheckName(name); (err == nil) != good {
			t.Errorf("CheckName(%q) = %v, want good %v", name, err, good)
		}
	}
	_, problems := Parse("weather.json", []byte(`{"name": "climate", "description": "d"}`))
	wantProblems(t, "another name", problems, `: name "climate" must be that of the file, "weather"`)
}

// TestBounded: a file made of problems is not answered by one of them each.
func TestBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString(`{"name": "a", "description": "d"`)
	for i := range 5000 {
		text.WriteString(`,"x` + strings.Repeat("y", i%50) + string(rune('a'+i%26)) + strings.Repeat("z", i/50) + `": 1`)
	}
	entries, problems := Parse("a.json", []byte(text.String()+"}"))
	if len(entries) != 1 || len(problems) != maxReported+1 {
		t.Errorf("%d entries, %d problems, want 1 and %d", len(entries), len(problems), maxReported+1)
	}
}
