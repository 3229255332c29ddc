package program

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/fleet/catalog"
)

// toolsOf returns the tools that a program may call by its arguments; nil is all.
func toolsOf(c *call.Call) []string {
	var a asked
	_, args := given(c)
	_ = json.Unmarshal(args, &a) // the worker refuses what is no object
	return a.Tools
}

// covers reports whether a list of names and patterns has a name.
func covers(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return open && strings.HasPrefix(name, prefix) || pattern == name
	})
}

// beyond returns the first tool of a step that a program may not call, empty for none: the step's
// own, or a tool that it calls by way of another. The tools of a program in a program are judged
// when that makes its steps.
func beyond(within [][]string, step *durable.Step) string {
	for _, name := range append([]string{step.Tool}, through(step)...) {
		if !slices.ContainsFunc(within, func(list []string) bool { return !covers(list, name) }) {
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
