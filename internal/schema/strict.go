package schema

import (
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxBytes is the size up to which one JSON value is read.
	MaxBytes = 1 << 20

	// MaxDepth is how deep objects and arrays may nest.
	MaxDepth = 128

	maxDigits   = 64  // characters of one number
	maxExponent = 400 // magnitude of a number's exponent
)

// Strict checks one JSON value from an untrusted sender: at most [MaxBytes],
// valid UTF-8 without lone surrogates, no duplicate keys, nothing after the
// value, nested at most [MaxDepth] deep, numbers of at most 64 characters with
// an exponent between -400 and 400 that a 64-bit float can hold. The error is
// an *[Invalid].
func Strict(raw []byte) error {
	if problem := strict(raw); problem != "" {
		return invalid("%s", problem)
	}
	return nil
}

// strict is Strict without the error around the problem.
func strict(raw []byte) string {
	if len(raw) > MaxBytes {
		return tooLarge
	}
	s := borrow(raw)
	defer s.release()
	if err := s.value(nil, 0); err != nil {
		return explain(err)
	}
	if err := s.end(); err != nil {
		return explain(err)
	}
	return ""
}

const tooLarge = "larger than 1 MiB; send less"

// unusable is a rule of ours, not of JSON, that a value broke.
type unusable struct {
	problem string
	where   jsontext.Pointer
}

func (e *unusable) Error() string { return e.problem }

// explain words what stopped the reading of a JSON value.
func explain(err error) string {
	if ours, ok := errors.AsType[*unusable](err); ok {
		if where := pointerPath(ours.where); where != "" {
			return ours.problem + " (at " + where + ")"
		}
		return ours.problem
	}
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return "not valid JSON: it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "not valid JSON: it ends too early"
	case !errors.As(err, &syntax):
		return "not valid JSON"
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "duplicate key '" + clip(syntax.JSONPointer.LastToken()) + "'"
	}
	return "not valid JSON: " + clip(syntax.Err.Error()) + " at byte " + strconv.FormatInt(syntax.ByteOffset, 10)
}

// numberProblem says why a number that JSON allows is refused here, or "".
// The bounds keep exact arithmetic on it cheap and let it fit a 64-bit float.
func numberProblem(num []byte) string {
	if len(num) > maxDigits {
		return "number is longer than 64 characters"
	}
	exponent, negative, inExponent := 0, false, false
	for _, c := range num {
		switch {
		case c == 'e' || c == 'E':
			inExponent = true
		case !inExponent || c == '+':
		case c == '-':
			negative = true
		case exponent <= maxExponent:
			exponent = exponent*10 + int(c-'0')
		}
	}
	if exponent > maxExponent {
		return "number has an exponent beyond 400"
	}
	// 64 characters without an exponent stay far below the largest float.
	if exponent > 200 && !negative {
		if _, err := strconv.ParseFloat(string(num), 64); err != nil {
			return "number is too large for a 64-bit float"
		}
	}
	return ""
}
