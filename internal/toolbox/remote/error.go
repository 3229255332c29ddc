package remote

import "fmt"

// Kind is the machine-readable kind of a refused registration.
type Kind string

// The kinds, with the names of errors of whole requests.
const (
	BadRequest Kind = "bad_request"
	Conflict   Kind = "conflict"
	TooLarge   Kind = "too_large"
)

// Error is a refused registration. Msg contains the remedy.
type Error struct {
	Kind Kind
	Msg  string
}

// Error implements error.
func (e *Error) Error() string { return string(e.Kind) + ": " + e.Msg }

func refuse(kind Kind, format string, args ...any) *Error {
	return &Error{kind, fmt.Sprintf(format, args...)}
}
