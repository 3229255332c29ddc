package schema

import (
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

const (
	maxProblems = 10 // problems listed in one error
	maxEcho     = 60 // bytes of foreign text repeated in a message
)

// Invalid is the error for a refused schema, JSON value or set of arguments. Every problem
// is a sentence a model can act on, such as "path: expected string, got number".
type Invalid struct {
	// Problems holds at most ten problems in a stable order when the error
	// comes from this package.
	Problems []string
	// Parameters reports whether a parameter is missing or not known.
	Parameters bool
	// Ignored names the unknown parameters that are not among the problems.
	Ignored []string

	more int // problems found beyond those listed
}

// Error joins the problems with "; ". After ten it only counts the rest.
func (e *Invalid) Error() string {
	shown, more := e.Problems, e.more
	if len(shown) > maxProblems {
		more += len(shown) - maxProblems
		shown = shown[:maxProblems]
	}
	text := strings.Join(shown, "; ")
	if more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// invalid returns an Invalid with one problem.
func invalid(format string, args ...any) *Invalid {
	return &Invalid{Problems: []string{fmt.Sprintf(format, args...)}}
}

// invalidAll returns an Invalid with the first ten of many problems.
func invalidAll(problems []string) *Invalid {
	kept := min(len(problems), maxProblems)
	return &Invalid{Problems: problems[:kept:kept], more: len(problems) - kept}
}

// clip shortens foreign text so that a message never repeats a long value. It
// cuts between characters and marks the cut.
func clip(text string) string { return textcut.Fit(text, maxEcho) }
