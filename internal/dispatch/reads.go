package dispatch

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/tool"
)

// changes reports whether a call of a tool is expected to change something. The worker
// decides: it declines a direct call that does, and puts no result of one in a group.
func changes(def *tool.Definition, arguments []byte) bool {
	if !def.Mutates || def.ReadsWhen == nil {
		return def.Mutates
	}
	value, there, ok := text(arguments, def.ReadsWhen.Param)
	switch {
	case !ok:
		return true
	case !there:
		return !def.ReadsWhen.Absent
	}
	return !slices.ContainsFunc(def.ReadsWhen.Values, func(v string) bool { return strings.EqualFold(v, value) })
}

// text returns the member of a name, if it is a text. There is false for an object without
// it, and ok for what is no object, or has something else in its place.
func text(object []byte, name string) (value string, there, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	if start, err := dec.ReadToken(); err != nil || start.Kind() != '{' {
		return "", false, false
	}
	for dec.PeekKind() == '"' {
		member, err := dec.ReadToken()
		if err != nil {
			return "", false, false
		}
		if member.String() != name {
			if dec.SkipValue() != nil {
				return "", false, false
			}
			continue
		}
		found, err := dec.ReadToken()
		if err != nil || found.Kind() != '"' {
			return "", false, false
		}
		value, there = found.String(), true
	}
	end, err := dec.ReadToken()
	return value, there, err == nil && end.Kind() == '}'
}
