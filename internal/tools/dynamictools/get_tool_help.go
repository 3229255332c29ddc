package dynamictools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/tsdecl"
	"github.com/helve-dev/helve/tool"
)

// codeSet is the tool set of models that write code, whose calls get declarations.
const codeSet = "code"

// mostHelped is the maximum number of tools in one call.
const mostHelped = 20

type helpArgs struct {
	ToolName  string   `json:"tool_name,omitempty" alias:"name" doc:"The tool to explain." max:"64"`
	ToolNames []string `json:"tool_names,omitempty" doc:"Several tools to explain, at most 20."`
	// Declaration is set too by the tool set code, in which a model writes code.
	Declaration bool `json:"declaration,omitempty" doc:"Whether to add a TypeScript declaration of each tool, for code that calls it."`
}

type helpedTool struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description"`
	Category             string          `json:"category"`
	Risk                 tool.Risk       `json:"risk"`
	RequiresConfirmation bool            `json:"requires_confirmation"`
	Parameters           json.RawMessage `json:"parameters" doc:"JSON Schema of the arguments."`
	Required             []string        `json:"required"`
	Result               json.RawMessage `json:"result,omitempty" doc:"JSON Schema of the result."`
	Errors               []tool.Kind     `json:"errors,omitempty" doc:"What it can fail with, beside what can befall any call."`
	Example              json.RawMessage `json:"example,omitempty" doc:"Arguments of a typical call."`
	Declaration          string          `json:"declaration,omitempty" doc:"TypeScript of the tool's arguments and result, if it was asked for."`
}

type unknownTool struct {
	Name string   `json:"name"`
	Near []string `json:"near" doc:"Names that are like it."`
}

type helpResult struct {
	Tools    []helpedTool  `json:"tools"`
	NotFound []unknownTool `json:"not_found"`
	Count    int           `json:"count"`
}

var _ = tool.Add(Set, tool.Spec[helpArgs, helpResult]{
	Name:        "get_tool_help",
	Description: "Explain one tool or several before you call them; returns parameters, result, errors and an example of each.",
	Tags:        []string{"help", "usage", "parameters", "how to use", "docs", "documentation", "batch help", "multiple tools"},
	Errors:      []tool.Kind{},
	Example:     `{"tool_name":"calculate"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Needs:       tool.NeedCatalogue,
	Timeout:     10 * time.Second,
	Run:         getToolHelp,
})

func getToolHelp(_ context.Context, call *tool.Call, args helpArgs) (helpResult, error) {
	if len(args.ToolNames) > mostHelped {
		return helpResult{}, tool.Fail(tool.ValidationError, "tool_names holds %d names; at most %d can be explained at once.",
			len(args.ToolNames), mostHelped)
	}
	var names []string
	for _, name := range append([]string{args.ToolName}, args.ToolNames...) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return helpResult{}, tool.Fail(tool.ValidationError, "Name a tool: tool_name, or tool_names for several; search_tools finds names.")
	}
	res := helpResult{Tools: []helpedTool{}, NotFound: []unknownTool{}}
	for _, name := range names {
		def, ok := call.Catalogue.Lookup(name)
		if !ok {
			res.NotFound = append(res.NotFound, unknownTool{name, call.Catalogue.Near(name, 5)})
			continue
		}
		help := helpOf(def)
		if args.Declaration || call.Toolset == codeSet {
			help.Declaration = tsdecl.Declare(tsdecl.Function{
				Name: def.Name, Description: def.Description, Args: def.Parameters, Result: def.ResultSchema,
			})
		}
		res.Tools = append(res.Tools, help)
	}
	if len(res.Tools) == 0 && len(names) == 1 {
		return helpResult{}, missing(res.NotFound[0])
	}
	res.Count = len(res.Tools)
	return res, nil
}

func missing(t unknownTool) error {
	if len(t.Near) == 0 {
		return tool.Fail(tool.ToolNotFound, "There is no tool '%s'; search_tools finds tools by what they do.", t.Name)
	}
	return tool.Fail(tool.ToolNotFound, "There is no tool '%s'; the nearest are %s.", t.Name, strings.Join(t.Near, ", "))
}

func helpOf(def *tool.Definition) helpedTool {
	var schema struct {
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(def.Parameters, &schema) // the parameters of a definition are valid JSON
	return helpedTool{
		Name: def.Name, Description: def.Description, Category: def.Category, Risk: def.Risk,
		RequiresConfirmation: def.RequiresConfirmation, Parameters: def.Parameters, Required: append([]string{}, schema.Required...),
		Result: def.ResultSchema, Errors: def.Errors, Example: def.Example,
	}
}

// Present shows the parameters line by line, or the declaration in their place.
func (r helpResult) Present(res *tool.Result) {
	var b strings.Builder
	for _, t := range r.Tools {
		if t.Declaration != "" {
			b.WriteString(t.Declaration)
			if len(t.Example) > 0 {
				fmt.Fprintf(&b, "// await tools.%s(%s)\n", t.Name, t.Example)
			}
			b.WriteByte('\n')
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n%s", t.Name, t.Description, tool.ParameterHelp(t.Parameters))
		if len(t.Example) > 0 {
			fmt.Fprintf(&b, "Example: %s\n", t.Example)
		}
		b.WriteByte('\n')
	}
	for _, t := range r.NotFound {
		fmt.Fprintf(&b, "%s\n", tool.AsError(missing(t)).Msg)
	}
	res.Text = strings.TrimSpace(b.String())
}
