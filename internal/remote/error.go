package remote

import "fmt"

// Kind is what is wrong with a registration, for a machine.
type Kind string

// The kinds, as a whole request's errors are called.
const (
	BadRequest Kind = "bad_request"
	Conflict   Kind = "conflict"
	TooLarge   Kind = "too_large"
)

// Error is a registration that was refused. Msg says what to do.
type Error struct {
	Kind Kind
	Msg  string
}

// Error implements error.
func (e *Error) Error() string { return string(e.Kind) + ": " + e.Msg }

func refuse(kind Kind, format string, args ...any) *Error {
	return &Error{kind, fmt.Sprintf(format, args...)}
}
