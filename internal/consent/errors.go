package consent

import "fmt"

// Kind is the machine-readable kind of an [Error].
type Kind string

// The kinds: the request is malformed, its sender may not make it, the item does not
// exist, or it was already decided.
const (
	BadRequest Kind = "bad_request"
	Forbidden  Kind = "forbidden"
	NotFound   Kind = "not_found"
	Conflict   Kind = "conflict"
)

// Error is the reason for a failure, in one sentence for the sender.
type Error struct {
	Kind Kind
	Msg  string
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Msg }

func fail(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...)}
}

// NoSuch returns the error for a consent that does not exist, and for a consent that
// the caller may not see: the two look the same.
func NoSuch() error {
	return fail(NotFound, "no consent with this id is known; they are kept for a limited time")
}
