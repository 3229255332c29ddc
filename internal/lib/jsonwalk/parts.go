package jsonwalk

import (
	"bytes"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The functions here split values that are known to be valid, so they check nothing:
// checking would read nested values once for each level, which takes seconds for deep
// ones. For other input the result is undefined, but they return.

// Member is one member of an object, in the object's order.
type Member struct {
	Name  string         // unquoted
	Value jsontext.Value // undecoded
}

// EachMember yields the quoted names and the values of an object; other values have no
// members. The yielded values share memory with the object.
func EachMember(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for i := open(object, '{'); i < len(object) && object[i] == '"'; {
			end := stringEnd(object, i)
			name := object[i:end:end]
			i = spaceEnd(object, end) + 1 // after the colon
			i = spaceEnd(object, i)
			end = valueEnd(object, i)
			if !yield(name, object[i:end:end]) {
				return
			}
			i = next(object, end)
		}
	}
}

// EachItem yields the items of an array; other values have no items. The yielded values
// share memory with the array.
func EachItem(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(i int, value []byte) bool) {
		n := 0
		for i := open(array, '['); i < len(array) && array[i] != ']'; n++ {
			end := valueEnd(array, i)
			if !yield(n, array[i:end:end]) {
				return
			}
			i = next(array, end)
		}
	}
}

// Members returns the members of an object, as EachMember yields them.
func Members(object jsontext.Value) []Member {
	var all []Member
	for name, value := range EachMember(object) {
		all = append(all, Member{Text(name), value})
	}
	return all
}

// Items returns the items of an array, as EachItem yields them.
func Items(array jsontext.Value) []jsontext.Value {
	all := []jsontext.Value{}
	for _, value := range EachItem(array) {
		all = append(all, value)
	}
	return all
}

// open returns the index of the first part of a value that opens with this bracket, or
// the end if it opens otherwise.
func open(v []byte, bracket byte) int {
	i := spaceEnd(v, 0)
	if i >= len(v) || v[i] != bracket {
		return len(v)
	}
	return spaceEnd(v, i+1)
}

// next returns the index of the part that follows a part which ended here, or the end.
func next(v []byte, end int) int {
	if i := spaceEnd(v, end); i < len(v) && v[i] == ',' {
		return spaceEnd(v, i+1)
	}
	return len(v)
}

// spaceEnd skips white space.
func spaceEnd(v []byte, i int) int {
	for ; i < len(v); i++ {
		if c := v[i]; c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return i
		}
	}
	return len(v)
}

// valueEnd returns the end of the value that begins at i.
func valueEnd(v []byte, i int) int {
	if i >= len(v) {
		return len(v)
	}
	switch v[i] {
	case '"':
		return stringEnd(v, i)
	case '{', '[':
	default:
		for ; i < len(v); i++ {
			switch v[i] {
			case ',', ']', '}', ' ', '\n', '\t', '\r':
				return i
			}
		}
		return i
	}
	for depth := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			i = stringEnd(v, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(v)
}

// stringEnd returns the end of the string whose quote is at i.
func stringEnd(v []byte, i int) int {
	for at := i + 1; at < len(v); at++ {
		quote := bytes.IndexByte(v[at:], '"')
		if quote < 0 {
			break
		}
		at += quote
		escapes := 0
		for v[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 { // the backslashes escape each other, not the quote
			return at + 1
		}
	}
	return len(v)
}

// Kind names the type of a valid value.
func Kind(v jsontext.Value) string {
	switch v.Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	default:
		return "null"
	}
}

// Join returns the array of the items.
func Join(items []jsontext.Value) jsontext.Value {
	array := jsontext.Value{'['}
	for i, item := range items {
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, item...)
	}
	return append(array, ']')
}

// Text returns a string without its quotes and any other value as JSON.
func Text(v jsontext.Value) string {
	if v.Kind() != '"' {
		return string(v)
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return string(v)
	}
	return string(text)
}

// Count returns n as a JSON number.
func Count(n int) jsontext.Value { return strconv.AppendInt(nil, int64(n), 10) }

// MemberOf returns the named member of an object, nil if there is none; with an empty
// name it returns the value itself.
func MemberOf(v jsontext.Value, name string) jsontext.Value {
	if name == "" {
		return v
	}
	for _, m := range Members(v) {
		if m.Name == name {
			return m.Value
		}
	}
	return jsontext.Value("null")
}

// AppendString appends a quoted string. Invalid UTF-8 becomes the replacement
// character, because JSON allows nothing else.
func AppendString(dst []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(s, "\ufffd"))
	}
	return quoted
}
