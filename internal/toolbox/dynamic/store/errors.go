package store

import "fmt"

// Kind is the kind of an [Error], for programs.
type Kind string

// The kinds: the request is malformed, its sender may not make it, there is no such tool,
// or a concurrent change came first.
const (
	BadRequest Kind = "bad_request"
	Forbidden  Kind = "forbidden"
	NotFound   Kind = "not_found"
	Conflict   Kind = "conflict"
)

// Error is the reason of a failure, in one sentence.
type Error struct {
	Kind Kind
	Msg  string
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Msg }

func fail(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...)}
}

func noTool(name string) error {
	return fail(NotFound, "there is no custom tool '%.64s'; list_custom_tools names those there are", name)
}
