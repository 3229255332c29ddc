package catalog

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// The tool sets that every deployment has.
const (
	SetAll    = "all"    // every tool that the caller may use
	SetCode   = "code"   // the tools that find others, and the tool that runs code which calls them
	SetSearch = "search" // the tools that find and call others
)

// RunProgram is the tool that runs the code of a model, which calls other tools, and
// ReadResult the tool that returns parts of stored results. A set lacks a tool that the
// deployment does not have.
const (
	RunProgram = "run_program"
	ReadResult = "read_result"
)

// Toolset is a named choice of tools: a request that names it is offered these tools only,
// and may call no other tool directly. It does not bind the calls that a tool or a program
// makes. The zero value has all tools.
type Toolset struct {
	Name string
	// tools are the names of built-in tools; nil means all tools of any kind. A tool of
	// another kind could take the name of a built-in tool that the deployment does not have.
	tools []string
	// by is the tool through which the other tools are reached, and instead how.
	by      string
	instead func(name string) string
}

var toolsets = []Toolset{
	{Name: SetAll},
	{
		Name: SetCode, tools: []string{"get_tool_help", ReadResult, RunProgram, "search_tools"}, by: RunProgram,
		instead: func(name string) string {
			return "call it in the code that you give to " + RunProgram + ", as tools." + name + "({…})"
		},
	},
	{
		Name: SetSearch, tools: slices.Sorted(slices.Values(append([]string{ReadResult}, meta...))), by: UseTool,
		instead: func(string) string { return "call it with " + UseTool + ", or several tools with " + BatchUseTool },
	},
}

// Has reports whether the tool is in the set.
func (s Toolset) Has(def *tool.Definition) bool {
	return s.tools == nil || def.Kind == tool.KindBuiltin && slices.Contains(s.tools, def.Name)
}

// Toolset returns the tool set of that name; without a name it is that of all tools. The
// error, a validation_error, lists the sets.
func (v View) Toolset(name string) (Toolset, *tool.Error) {
	if name == "" {
		name = SetAll
	}
	for _, s := range toolsets {
		if s.Name == name {
			return s, nil
		}
	}
	return Toolset{}, tool.Fail(tool.ValidationError, "there is no tool set '%.64s'; use one of %s", name, strings.Join(v.Toolsets(), ", "))
}

// Toolsets returns the names of the tool sets, sorted.
func (v View) Toolsets() []string {
	var names []string
	for _, s := range toolsets {
		names = append(names, s.Name)
	}
	return names
}

// Outside returns the error for a direct call of a tool that is not in the request's set:
// what the set has, and how the tool is called instead.
func (v View) Outside(s Toolset, name string) *tool.Error {
	var has []string
	for _, in := range s.tools {
		if def, ok := v.Lookup(in); ok && s.Has(def) && !v.Off(def) {
			has = append(has, in)
		}
	}
	advice := "the caller can name another set in context.toolset"
	if slices.Contains(has, s.by) {
		advice = s.instead(name)
	}
	list := strings.Join(has, ", ")
	if list == "" {
		list = "no tools here"
	}
	return tool.Fail(tool.ToolNotAvailable, "Tool '%s' is not in the tool set '%s', which has %s; %s", name, s.Name, list, advice)
}
