package main

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/diff"
)

// jsDiff returns the difference of two JSON values, line by line, or "" if they are
// equal.
func jsDiff(want, got json.RawMessage) string {
	a, b := plain(want), plain(got)
	if bytes.Equal(a, b) {
		return ""
	}
	return "the result differs\n" + string(bytes.TrimRight(diff.Diff("want", a, "got", b), "\n"))
}

// plain formats a value in its canonical spelling, a member or element on each line.
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
