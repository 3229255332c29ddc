package provider

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient accepts what a format ignores anyway: duplicate names, and half characters in
// some text. Arguments must pass the stricter [schema.Arguments].
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// check returns the reason why raw is not one JSON value. All functions below require a
// value that passed.
func check(raw []byte) error {
	if jsontext.Value(raw).IsValid(lenient...) {
		return nil
	}
	in := jsontext.NewDecoder(bytes.NewReader(raw), lenient...)
	_, err := in.ReadValue()
	if err == nil {
		return errors.New("something follows the value")
	}
	if errors.Is(err, io.EOF) {
		return errors.New("it is empty")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("%w at byte %d", syntax.Err, syntax.ByteOffset)
	}
	return err
}

// trimmed returns raw without surrounding white space, nil if nothing is left.
func trimmed(raw []byte) []byte {
	if raw = bytes.Trim(raw, " \t\r\n"); len(raw) > 0 {
		return raw
	}
	return nil
}

// kind returns the first byte of a value, 0 if there is none.
func kind(value []byte) byte {
	if len(value) == 0 {
		return 0
	}
	return value[0]
}

// given returns nil for null, which many clients write for a missing value.
func given(value []byte) []byte {
	if kind(value) == 'n' {
		return nil
	}
	return value
}

// key returns the text of a string value for comparison; it may share memory with it.
func key(quoted []byte) []byte {
	if kind(quoted) != '"' {
		return nil
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // half a character equals nothing
	return text
}

// textOf returns the text of a string value that consists of whole characters.
func textOf(value []byte) (text string, ok bool) {
	if kind(value) != '"' {
		return "", false
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1]), utf8.Valid(value)
	}
	unquoted, err := jsontext.AppendUnquote(nil, value)
	return string(unquoted), err == nil
}

// quote appends text as a JSON string. Invalid UTF-8 becomes U+FFFD.
func quote[T []byte | string](w []byte, text T) []byte {
	w, _ = jsontext.AppendQuote(w, text)
	return w
}
