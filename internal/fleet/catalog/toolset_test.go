package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// kinds returns a definition of another kind than built-in.
func kinds(name string, kind string) tool.Definition {
	d := def(name, "customTools")
	d.Kind = kind
	return d
}

// TestToolset: a set has the built-in tools that it names and no tool of another kind that
// took the name of one.
func TestToolset(t *testing.T) {
	t.Parallel()
	c := New()
	for _, name := range []string{"search_tools", "get_tool_help", "use_tool", "batch_use_tool", "list_tool_groups", "read_file"} {
		if err := c.Put(kinds(name, tool.KindBuiltin)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Put(kinds(RunProgram, tool.KindMCP), kinds(ReadResult, tool.KindDynamic)); err != nil {
		t.Fatal(err)
	}
	v := view(c)
	for name, want := range map[string][]string{
		"": {
			"batch_use_tool", "get_tool_help", "list_tool_groups", "read_file", ReadResult, RunProgram, "search_tools", "use_tool",
		},
		SetAll: {
			"batch_use_tool", "get_tool_help", "list_tool_groups", "read_file", ReadResult, RunProgram, "search_tools", "use_tool",
		},
		SetSearch: {"batch_use_tool", "get_tool_help", "list_tool_groups", "search_tools", "use_tool"},
		SetCode:   {"get_tool_help", "search_tools"},
	} {
		set, err := v.Toolset(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, def := range v.List(Filter{Set: set}) {
			got = append(got, def.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the set %q has %q, want %q", name, got, want)
		}
	}
	if err := c.Put(kinds(RunProgram, tool.KindBuiltin)); err != nil {
		t.Fatal(err)
	}
	if set, _ := v.Toolset(SetCode); len(v.List(Filter{Set: set})) != 3 {
		t.Error("the set code lacks run_program, which is a built-in tool here")
	}
}

// TestUnknownToolset: the error names the sets, and sets are found by their exact name.
func TestUnknownToolset(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nope", "Code", " code", "code/readonly", strings.Repeat("x", 500)} {
		_, err := view(New()).Toolset(name)
		if err == nil || err.Kind != tool.ValidationError || !strings.Contains(err.Msg, "use one of all, code, search") || len(err.Msg) > 200 {
			t.Errorf("the set %.80q: %v, want a validation_error that names the sets", name, err)
		}
	}
}

// TestOutside: the refusal names the tools of the set and how the tool is called instead.
func TestOutside(t *testing.T) {
	t.Parallel()
	c := New()
	v := view(c)
	for _, tt := range []struct{ add, set, want string }{
		{"search_tools", SetCode, "Tool 'files.read_text' is not in the tool set 'code', which has search_tools; the caller can name another set in context.toolset"},
		{RunProgram, SetCode, "which has run_program, search_tools; call it in the code that you give to run_program, as tools.files.read_text({…})"},
		{"use_tool", SetSearch, "which has search_tools, use_tool; call it with use_tool, or several tools with batch_use_tool"},
	} {
		if err := c.Put(kinds(tt.add, tool.KindBuiltin)); err != nil {
			t.Fatal(err)
		}
		set, _ := v.Toolset(tt.set)
		if err := v.Outside(set, "files.read_text"); err.Kind != tool.ToolNotAvailable || !strings.Contains(err.Msg, tt.want) {
			t.Errorf("outside %s: %v, want %s", tt.set, err, tt.want)
		}
	}
}
