package api

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// fields is a set of indexes into a list of field names.
type fields uint16

// add adds i to the set and reports whether it was there before.
func (f *fields) add(i int) bool {
	was := f.has(i)
	*f |= 1 << i
	return was
}

func (f *fields) has(i int) bool { return *f&(1<<i) != 0 }

// kindOf names the kind of a valid JSON value.
func kindOf(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// textOf returns the text of a valid JSON value that should be a string, or the problem
// with it.
func textOf(raw []byte) (text, problem string) {
	if raw[0] != '"' {
		return "", "must be a string, not " + kindOf(raw)
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), ""
	}
	unquoted, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return "", "holds half of a surrogate pair, which is no text"
	}
	return string(unquoted), ""
}

// textField is textOf for a field whose error fails the request.
func textField(raw []byte, field string) (string, error) {
	text, problem := textOf(raw)
	if problem != "" {
		return "", BadRequest("%s %s", field, problem)
	}
	return text, nil
}

// millis converts a valid JSON value to milliseconds. A value too long for a Duration
// becomes the longest Duration, and a positive value stays positive.
func millis(raw []byte) (time.Duration, bool) {
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	ms, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case math.IsInf(ms, 1):
		return math.MaxInt64, true
	case err != nil || ms < 0:
		return 0, false
	case ms == 0:
		return 0, true
	case ms >= float64(math.MaxInt64)/float64(time.Millisecond):
		return math.MaxInt64, true
	}
	return max(time.Duration(ms*float64(time.Millisecond)), 1), true
}
