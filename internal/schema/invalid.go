package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxProblems = 10 // problems one error tells about
	maxEcho     = 60 // bytes of foreign text repeated in a message
)

// Invalid says why a schema, a JSON value or the arguments of a call were
// refused. Every problem is a sentence a model can act on, such as
// "path: expected string, got number".
type Invalid struct {
	// Problems holds at most ten problems in a stable order when the error
	// comes from this package.
	Problems []string

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

// invalid makes an Invalid of one problem.
func invalid(format string, args ...any) *Invalid {
	return &Invalid{Problems: []string{fmt.Sprintf(format, args...)}}
}

// invalidAll makes an Invalid of many problems and keeps the first ten.
func invalidAll(problems []string) *Invalid {
	kept := min(len(problems), maxProblems)
	return &Invalid{Problems: problems[:kept:kept], more: len(problems) - kept}
}

// clip shortens foreign text so that a message never repeats a long value. It
// cuts between characters and marks the cut.
func clip(text string) string {
	if len(text) <= maxEcho {
		return text
	}
	cut := maxEcho - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
