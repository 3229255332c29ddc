package chat

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient reads providers' output: duplicate names and half characters are their
// responsibility. written writes it back unchanged.
var (
	lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	written = json.JoinOptions(lenient, jsontext.PreserveRawStrings(true), json.Deterministic(true))
)

// object reports whether v is a JSON object.
func object(v jsontext.Value) bool { return v.IsValid(lenient) && v.Kind() == '{' }

// given reports whether v is present and not null.
func given(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' }

// textOf returns the text of v, or "" if v is not a string.
func textOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, bytes.TrimSpace(v)) // half a character becomes U+FFFD
	return string(text)
}

// quoted returns text as JSON.
func quoted(text string) jsontext.Value {
	v, _ := jsontext.AppendQuote(nil, text)
	return v
}

// members yields the names and values of a valid object, in its order.
func members(v jsontext.Value) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		in := jsontext.NewDecoder(bytes.NewReader(v), lenient)
		if start, err := in.ReadToken(); err != nil || start.Kind() != '{' {
			return
		}
		for in.PeekKind() != '}' {
			name, err := in.ReadToken()
			if err != nil {
				return
			}
			key := name.String()
			value, err := in.ReadValue()
			if err != nil || !yield(key, value.Clone()) {
				return
			}
		}
	}
}

// count is a number of tokens. Any other value, or an implausible number, counts as not
// reported.
type count int

// UnmarshalJSON accepts any value.
func (c *count) UnmarshalJSON(v []byte) error {
	n, err := strconv.Atoi(string(v))
	if err != nil || n < 0 || n > 1<<28 {
		n = 0
	}
	*c = count(n)
	return nil
}
