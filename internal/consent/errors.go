package consent

import "fmt"

// Kind of an [Error], for programs.
type Kind string

// The kinds: the request is malformed, its sender may not, there is no such
// thing, or it was decided before.
const (
	BadRequest Kind = "bad_request"
	Forbidden  Kind = "forbidden"
	NotFound   Kind = "not_found"
	Conflict   Kind = "conflict"
)

// Error says why something could not be done, in one sentence for its sender.
type Error struct {
	Kind Kind
	Msg  string
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Msg }

func fail(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...)}
}
