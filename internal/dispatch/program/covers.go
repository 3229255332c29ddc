package program

import (
	"encoding/json"
	"slices"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// toolsOf returns the tools that a program may call: by its arguments, where nil is all, or by the
// definition of a durable tool.
func toolsOf(c *call.Call, def *tool.Definition) []string {
	var a asked
	name, args := given(c)
	if name != RunProgram {
		return append([]string{}, def.Tools...)
	}
	_ = json.Unmarshal(args, &a) // the worker refuses what is no object
	return a.Tools
}

// beyond returns the first tool of a step that a program may not call, empty for none: the step's
// own, or a tool that it calls by way of another. The tools of a program in a program are judged
// when that makes its steps.
func beyond(within [][]string, step *durable.Step) string {
	for _, name := range append([]string{step.Tool}, through(step)...) {
		if !slices.ContainsFunc(within, func(list []string) bool { return !durable.Covers(list, name) }) {
			continue
		}
		return name
	}
	return ""
}

// through returns the tools that a step calls by way of its own.
func through(step *durable.Step) (names []string) {
	type inner struct {
		ToolName string `json:"tool_name"`
		Tool     string `json:"tool"`
	}
	var args struct {
		inner

		Calls      []inner `json:"calls"`
		Operations []inner `json:"operations"`
	}
	if step.Tool != catalog.UseTool && step.Tool != catalog.BatchUseTool || json.Unmarshal(object(step.Args), &args) != nil {
		return nil
	}
	for _, one := range slices.Concat([]inner{args.inner}, args.Calls, args.Operations) {
		for _, name := range []string{one.ToolName, one.Tool} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}
