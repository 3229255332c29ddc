package durable

import (
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// MostTools bounds the names and patterns of the tools that a program may call.
const MostTools = 100

// Covers reports whether a list of names, and of patterns that end in *, has a name. A nil list
// has all.
func Covers(list []string, name string) bool {
	return list == nil || slices.ContainsFunc(list, func(pattern string) bool {
		prefix, open := Prefix(pattern)
		return open && strings.HasPrefix(name, prefix) || pattern == name
	})
}

// Prefix returns how the names begin that a pattern has; open is false for a single name.
func Prefix(pattern string) (prefix string, open bool) { return strings.CutSuffix(pattern, "*") }

// CheckTools returns everything that is wrong with the list of the tools that a durable tool may
// call.
func CheckTools(list []string) (problems []string) {
	if len(list) > MostTools {
		return []string{fmt.Sprintf("tools has %d entries, at most %d are allowed; use patterns that end in *", len(list), MostTools)}
	}
	for i, entry := range list {
		prefix, open := Prefix(entry)
		name := prefix
		if open { // any valid name may go on
			name += "x"
		}
		switch {
		case !tool.ValidName(name):
			problems = append(problems, fmt.Sprintf("tools[%d]: '%.64s' is neither the name of a tool nor a pattern that ends in *", i, entry))
		case slices.Contains(list[:i], entry):
			problems = append(problems, fmt.Sprintf("tools[%d]: '%.64s' is there already", i, entry))
		}
	}
	return problems
}
