package dynamictools

import (
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// TestSchemaAsModelsWriteIt: a schema may be a string or an object, and may have the
// name that MCP uses.
func TestSchemaAsModelsWriteIt(t *testing.T) {
	t.Parallel()
	call := office(t)
	made := func(t *testing.T, res tool.Result) {
		if member(t, res, "status") != "active" {
			t.Errorf("it answered %s", res.Value)
		}
	}
	const rest = `,"description":"Does it.","code":"return args.n"}`
	tooltest.Run(t, Set, "create_tool", call, []tooltest.Case{
		{Name: "object", Args: `{"name":"one","parameters":{"type":"object","properties":{"n":{"type":"integer"}}}` + rest, Check: made},
		{Name: "inputSchema", Args: `{"name":"two","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}` + rest, Check: made},
		{
			Name:  "inputSchema as text",
			Args:  `{"name":"three","inputSchema":"{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}"` + rest,
			Check: made,
		},
		{
			Name:    "both",
			Args:    `{"name":"four","parameters":{"type":"object"},"inputSchema":{"type":"object"}` + rest,
			Fails:   tool.ValidationError,
			Message: "one of the two",
		},
		{Name: "none", Args: `{"name":"five"` + rest, Fails: tool.ValidationError, Message: "missing required parameter 'parameters'"},
		{Name: "no schema", Args: `{"name":"six","parameters":7` + rest, Fails: tool.ValidationError, Message: "parameters: must be"},
	})
	for _, name := range []string{"one", "two", "three"} {
		got, err := call.CustomTools.Get(t.Context(), &call, name)
		if err != nil || string(got.Parameters) != `{"type":"object","properties":{"n":{"type":"integer"}}}` {
			t.Errorf("%s has the schema %s, %v", name, got.Parameters, err)
		}
	}
	tooltest.Run(t, Set, "update_custom_tool", call, []tooltest.Case{
		{Name: "inputSchema", Args: `{"name":"one","inputSchema":{"type":"object"}}`, Check: made},
		{
			Name:    "both",
			Args:    `{"name":"one","parameters":"{}","inputSchema":{"type":"object"}}`,
			Fails:   tool.ValidationError,
			Message: "one of the two",
		},
	})
	if got, _ := call.CustomTools.Get(t.Context(), &call, "one"); string(got.Parameters) != `{"type":"object"}` {
		t.Errorf("the new schema is %s", got.Parameters)
	}
}

func TestUnfenced(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{"```js\nreturn 1\n```", "return 1\n"},
		{"\n```javascript\nreturn `a`\n```\n", "return `a`\n"},
		{"```\nreturn 1```", "return 1"},
		{"return 1", "return 1"},
		{"return ```a```", "return ```a```"},
		{"```return 1```", "```return 1```"},
		{"```", "```"},
		{"``````", "``````"},
		{"```js\nreturn 1\n```\nor\n```js\nreturn 2\n```", "```js\nreturn 1\n```\nor\n```js\nreturn 2\n```"},
	} {
		if got := unfenced(tt[0]); got != tt[1] {
			t.Errorf("unfenced(%q) = %q, want %q", tt[0], got, tt[1])
		}
	}
}

// TestCreateToolNamesTheHelpers: the description lists every helper, and no helper that
// does not exist.
func TestCreateToolNamesTheHelpers(t *testing.T) {
	t.Parallel()
	for _, tl := range Set.Tools() {
		if tl.Name != "create_tool" {
			continue
		}
		help := tool.ParameterHelp(tl.Parameters)
		_, list, _ := strings.Cut(help, "utils has:")
		list, _, _ = strings.Cut(list, "\n- ")
		var named []string
		for line := range strings.Lines(list) {
			_, names, ok := strings.Cut(line, ": ")
			if !ok {
				continue
			}
			names = strings.NewReplacer("(name, args)", "", "()", "").Replace(strings.TrimSpace(names))
			named = append(named, strings.Split(names, ", ")...)
		}
		slices.Sort(named)
		if want := js.Helpers(); !slices.Equal(named, want) {
			t.Errorf("create_tool names %q, there are %q", named, want)
		}
	}
}
