package chat

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient reads what providers write: a name that stands twice and half a character
// are theirs to answer for. written writes it back the way it came.
var (
	lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	written = json.JoinOptions(lenient, jsontext.PreserveRawStrings(true), json.Deterministic(true))
)

// object reports whether v is a JSON object.
func object(v jsontext.Value) bool { return v.IsValid(lenient) && v.Kind() == '{' }

// given reports whether v is there and not null.
func given(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' }

// textOf is the text that v is, "" where it is none.
func textOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, bytes.TrimSpace(v)) // half a character becomes U+FFFD
	return string(text)
}

// quoted is text as JSON.
func quoted(text string) jsontext.Value {
	v, _ := jsontext.AppendQuote(nil, text)
	return v
}

// members are the names and values of an object that is valid, in its order.
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

// count is a number of tokens. A provider that writes something else there, or a number
// that no turn costs, has not said it.
type count int

// UnmarshalJSON takes any value.
func (c *count) UnmarshalJSON(v []byte) error {
	n, err := strconv.Atoi(string(v))
	if err != nil || n < 0 || n > 1<<28 {
		n = 0
	}
	*c = count(n)
	return nil
}
