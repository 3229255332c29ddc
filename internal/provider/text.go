package provider

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient accepts what a format ignores anyway: a name that stands twice, and half a
// character in some text. Arguments are held to more by [schema.Arguments].
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// check reports what keeps raw from being one JSON value. Everything below it relies on
// a value that passed.
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

// trimmed is raw without white space around it, nil where nothing is left.
func trimmed(raw []byte) []byte {
	if raw = bytes.Trim(raw, " \t\r\n"); len(raw) > 0 {
		return raw
	}
	return nil
}

// members goes over the names, in their quotes, and the values of an object; over
// nothing where value is no object.
func members(value []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		if kind(value) != '{' {
			return
		}
		for at := next(value, 1); value[at] != '}'; {
			name := at
			at = end(value, at)
			from := next(value, at)
			to := end(value, from)
			if !yield(value[name:at], value[from:to]) {
				return
			}
			at = next(value, to)
		}
	}
}

// elements goes over the values of an array; over nothing where value is none.
func elements(value []byte) iter.Seq2[int, []byte] {
	return func(yield func(i int, value []byte) bool) {
		if kind(value) != '[' {
			return
		}
		i := 0
		for at := next(value, 1); value[at] != ']'; i++ {
			from := at
			at = end(value, at)
			if !yield(i, value[from:at]) {
				return
			}
			at = next(value, at)
		}
	}
}

// next returns where the next value or closing bracket begins.
func next(text []byte, at int) int {
	for at < len(text) {
		switch text[at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			at++
		default:
			return at
		}
	}
	return at
}

// end returns where the value ends that begins at text[at].
func end(text []byte, at int) int {
	switch text[at] {
	case '"':
		return endOfString(text, at)
	case '{', '[':
	default:
		for at < len(text) && bytes.IndexByte(delimiters, text[at]) < 0 {
			at++
		}
		return at
	}
	for depth := 0; ; {
		switch text[at] {
		case '"':
			at = endOfString(text, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}
}

// delimiters end a number, true, false and null.
var delimiters = []byte(" \t\r\n,:]}")

// endOfString returns where the string ends that begins at text[at].
func endOfString(text []byte, at int) int {
	for {
		at++
		at += bytes.IndexByte(text[at:], '"')
		slashes := 0
		for text[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 { // they escape each other, not the quote
			return at + 1
		}
	}
}

// kind is the first byte of a value, 0 where there is none.
func kind(value []byte) byte {
	if len(value) == 0 {
		return 0
	}
	return value[0]
}

// given drops null, which is how many clients write what is not there.
func given(value []byte) []byte {
	if kind(value) == 'n' {
		return nil
	}
	return value
}

// key is the text of a value that is a string, to compare it with; it may share memory
// with it.
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

// textOf is the text of a value that is a string of whole characters.
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

// quote appends text as a JSON string. What is not UTF-8 becomes U+FFFD.
func quote[T []byte | string](w []byte, text T) []byte {
	w, _ = jsontext.AppendQuote(w, text)
	return w
}
