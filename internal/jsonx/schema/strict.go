package schema

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxBytes is the largest size of one JSON value.
	MaxBytes = 1 << 20

	// MaxDepth is the deepest nesting of objects and arrays.
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
	if problem, _ := strict(raw); problem != "" {
		return invalid("%s", problem)
	}
	return nil
}

// strict is Strict without the error around the problem. It also reports whether each
// number in raw is certainly the shortest decimal of a 64-bit float, or another notation of
// it.
func strict(raw []byte) (problem string, short bool) {
	if len(raw) > MaxBytes {
		return tooLarge, false
	}
	s := borrow(raw)
	defer s.release()
	if err := s.value(nil, 0); err != nil {
		return explain(err), false
	}
	if err := s.end(); err != nil {
		return explain(err), false
	}
	return "", !s.long
}

const tooLarge = "larger than 1 MiB; send less"

// unusable is the error for JSON that is valid but breaks a rule of this package.
type unusable struct {
	problem string
	where   jsontext.Pointer
}

func (e *unusable) Error() string { return e.problem }

// explain returns a phrase for an error of reading a JSON value.
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
	case strings.Contains(syntax.Err.Error(), "surrogate"):
		return "not valid JSON: it holds half of a surrogate pair (one of \\ud800 to \\udfff alone), which is no character; send whole characters"
	}
	return "not valid JSON: " + clip(syntax.Err.Error()) + " at byte " + strconv.FormatInt(syntax.ByteOffset, 10)
}

// numberProblem returns why a number that JSON allows is refused here, or "". The bounds
// keep exact arithmetic on it cheap and make it fit a 64-bit float. Short is true if a
// float certainly keeps the number's digits: every decimal of at most 15 digits is the
// shortest text of its nearest float.
func numberProblem(num []byte) (problem string, short bool) {
	if len(num) > maxDigits {
		return "number is longer than 64 characters", false
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
		return "number has an exponent beyond 400", false
	}
	// 64 characters without an exponent stay far below the largest float.
	if exponent > 200 && !negative {
		if _, err := strconv.ParseFloat(string(num), 64); err != nil {
			return "number is too large for a 64-bit float", false
		}
	}
	return "", len(num) <= 15 && exponent <= 200
}
