package main

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/diff"
)

// jsDiff is how two JSON values differ, line by line, or nothing if they are
// the same value.
func jsDiff(want, got json.RawMessage) string {
	a, b := plain(want), plain(got)
	if bytes.Equal(a, b) {
		return ""
	}
	return "the result is another one\n" + string(bytes.TrimRight(diff.Diff("want", a, "got", b), "\n"))
}

// plain writes a value in the one way that all its spellings have in common, a
// member or element on each line.
func plain(raw json.RawMessage) []byte {
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		return raw
	}
	var out bytes.Buffer
	if err := json.Indent(&out, v, "", "  "); err != nil {
		return raw
	}
	out.WriteByte('\n')
	return out.Bytes()
}
