package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/tool"
)

// limit brings the parameter that bounds a list into its bounds, and binds the
// arguments, which nothing changes from here on.
func (e *Engine) limit(_ context.Context, j *Job) error {
	if l := j.Definition().Limit; l != nil {
		args, err := clamp(j.prepared, l)
		if err != nil {
			return err
		}
		j.noteLimit(args, l)
		j.prepared = args
	}
	inv, err := j.entry.Tool.Bind(j.prepared)
	if err != nil {
		return err
	}
	if j.entry.Tool.Durable { // its steps may change something, by the tools that it names
		inv.Mutates = j.Definition().Mutates
	}
	j.invocation = inv
	return j.refuseUnknown()
}

// clamp returns args, a JSON object, with the parameter of l as a whole number
// within its bounds: missing or not a number becomes the default, a fraction
// is dropped.
func clamp(args json.RawMessage, l *tool.Limit) (json.RawMessage, error) {
	start, end, err := member(args, l.Param)
	if err != nil {
		return nil, err
	}
	if end == 0 {
		return prepend(args, l.Param, l.Default)
	}
	old := string(args[start:end])
	now := strconv.Itoa(within(old, l))
	if now == old {
		return args, nil
	}
	return bytes.Join([][]byte{args[:start], []byte(now), args[end:]}, nil), nil
}

func within(literal string, l *tool.Limit) int {
	n, err := strconv.ParseFloat(literal, 64)
	if c := literal[0]; c != '-' && (c < '0' || c > '9') || err != nil && !math.IsInf(n, 0) {
		return l.Default
	}
	return int(max(1, min(n, float64(l.Max))))
}

// member finds where the value of a top-level member lies; end is 0 if there
// is no such member.
func member(object json.RawMessage, name string) (start, end int, err error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(object))
	if _, err := dec.ReadToken(); err != nil {
		return 0, 0, err
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return 0, 0, err
		}
		found := key.String() == name
		value, err := dec.ReadValue()
		if err != nil {
			return 0, 0, err
		}
		if found {
			end := int(dec.InputOffset())
			return end - len(value), end, nil
		}
	}
	_, err = dec.ReadToken()
	return 0, 0, err
}

// prepend puts a member before those of an object.
func prepend(object json.RawMessage, name string, n int) (json.RawMessage, error) {
	key, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	rest := bytes.TrimSpace(object)[1:]
	out := append([]byte{'{'}, key...)
	out = strconv.AppendInt(append(out, ':'), int64(n), 10)
	if bytes.TrimLeft(rest, " \t\r\n")[0] != '}' {
		out = append(out, ',')
	}
	return append(out, rest...), nil
}
