package js

import (
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Verdict describes a tool that a program names, for [Check].
type Verdict struct {
	Known   bool
	Allowed bool     // the program may call it
	Near    []string // the names most like an unknown one
	Mutates bool
	// Parameter reports whether the tool has a parameter of that name, and otherwise returns
	// the nearest one, if any is like it. Without it, parameters are not checked.
	Parameter func(name string) (known bool, near string)
	// Parameters is the summary of the parameters, as in tool.ParameterSummary.
	Parameters string
}

// Check returns the validation_error for the uses of tools that can only fail: unknown tools,
// tools beyond those of the program, and parameters that the call would be refused for. It
// returns nil if there are none. look is called once for each name.
func Check(uses []Use, look func(name string) Verdict) *tool.Error {
	known := map[string]Verdict{}
	var problems []string
	for _, use := range uses {
		v, ok := known[use.Name]
		if !ok {
			v = look(use.Name)
			known[use.Name] = v
		}
		if problem := v.problem(use); problem != "" {
			problems = append(problems, position(use.Line, use.Column)+": "+problem)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	shown := problems[:min(len(problems), maxFindings)]
	text := strings.Join(shown, "; ")
	if more := len(problems) - len(shown); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return tool.Fail(tool.ValidationError, "%s", text)
}

func (v *Verdict) problem(use Use) string {
	switch {
	case !v.Known && len(v.Near) > 0:
		return fmt.Sprintf("tool '%s' not found; the nearest are %s", use.Name, strings.Join(v.Near, ", "))
	case !v.Known:
		return fmt.Sprintf("tool '%s' not found; search_tools finds the names", use.Name)
	case !v.Allowed:
		return fmt.Sprintf("the program may not call '%s'; add it to tools", use.Name)
	case v.Parameter == nil:
		return ""
	}
	var unknown []string
	for _, key := range use.Keys {
		known, near := v.Parameter(key)
		if known {
			continue
		}
		if slices.Contains(use.Keys, near) {
			near = ""
		}
		// A call is refused if it changes something, or if the name probably means a
		// parameter that was not given. What is open may give it.
		switch {
		case near != "" && (v.Mutates || !use.Open):
			unknown = append(unknown, fmt.Sprintf("unknown parameter '%s': did you mean '%s'?", key, near))
		case v.Mutates:
			unknown = append(unknown, fmt.Sprintf("unknown parameter '%s'", key))
		}
	}
	if len(unknown) == 0 {
		return ""
	}
	text := fmt.Sprintf("tool '%s': %s", use.Name, strings.Join(unknown[:min(len(unknown), maxFindings)], ", "))
	if v.Parameters != "" {
		text += "; " + v.Parameters
	}
	return text
}
