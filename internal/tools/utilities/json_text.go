package utilities

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/tool"
)

// maxJSONDepth is how deep the JSON of an argument may nest, as for the arguments
// themselves. It bounds every recursion over such a value.
const maxJSONDepth = 128

// maxJSONOutput bounds what a tool writes: white space and repeated names make a
// result far larger than what it is made of.
const maxJSONOutput = 4 << 20

// jsonArgument returns the JSON that an argument stands for: the contents of a
// string, because callers send JSON as text, or the value itself.
func jsonArgument(name string, raw json.RawMessage) (jsontext.Value, error) {
	text, err := jsonArgumentText(name, raw)
	if err != nil {
		return nil, err
	}
	if problem := jsonProblem(text); problem != "" {
		return nil, tool.Fail(tool.ValidationError, "Invalid JSON in %s: %s.", name, problem)
	}
	return bytes.Trim(text, jsonSpace), nil
}

// jsonSpace is the white space JSON allows around a value.
const jsonSpace = " \t\r\n"

// jsonArgumentText is jsonArgument before the text of a string is known to be JSON.
func jsonArgumentText(name string, raw json.RawMessage) (jsontext.Value, error) {
	if len(raw) == 0 {
		return nil, tool.Fail(tool.ValidationError, "The parameter %s is missing.", name)
	}
	if raw[0] != '"' {
		return jsontext.Value(raw), nil
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "The parameter %s is not a valid string.", name).Because(err)
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), nil
}

// jsonProblem says why text is not one JSON value, with line and column, or "".
// Of two members of one name most readers keep only one, so that is a problem too.
func jsonProblem(text []byte) string {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	for {
		_, err := dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return "there is nothing in it"
		case err != nil:
			return jsonSyntaxProblem(text, err)
		case dec.StackDepth() > maxJSONDepth:
			return fmt.Sprintf("it is nested more than %d deep%s", maxJSONDepth, jsonPosition(text, dec.InputOffset()-1))
		case dec.StackDepth() == 0:
			rest := bytes.TrimLeft(text[dec.InputOffset():], jsonSpace)
			if len(rest) > 0 {
				return "something follows the value" + jsonPosition(text, int64(len(text)-len(rest)))
			}
			return ""
		}
	}
}

func jsonSyntaxProblem(text []byte, err error) string {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return "it cannot be read"
	}
	what := syntax.Err.Error()
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		what = fmt.Sprintf("the member %q is there twice", jsonClip(syntax.JSONPointer.LastToken()))
	case errors.Is(err, io.ErrUnexpectedEOF):
		what = "it ends too early"
	}
	return what + jsonPosition(text, syntax.ByteOffset)
}

// jsonPosition words a byte offset as people count: lines and characters from 1.
func jsonPosition(text []byte, offset int64) string {
	before := text[:min(max(offset, 0), int64(len(text)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf(" at line %d, column %d", line, column)
}

// jsonClip shortens what a message repeats of the input.
func jsonClip(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "..."
}

// jsonKind names the type of a valid value.
func jsonKind(v jsontext.Value) string {
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

// jsonJoined is the array of items.
func jsonJoined(items []jsontext.Value) jsontext.Value {
	array := jsontext.Value{'['}
	for i, item := range items {
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, item...)
	}
	return append(array, ']')
}

// jsonArray is jsonArgument for what must be an array; its message says so.
func jsonArray(name string, raw json.RawMessage) ([]jsontext.Value, error) {
	value, err := jsonArgument(name, raw)
	switch {
	case err != nil:
		return nil, err
	case value.Kind() != '[':
		return nil, tool.Fail(tool.ValidationError, "The parameter %s must be a JSON array, but it is of type %s.", name, jsonKind(value))
	}
	return jsonItems(value), nil
}

// jsonText is a value as people read it: a string without its quotes and anything
// else as JSON.
func jsonText(v jsontext.Value) string {
	if v.Kind() != '"' {
		return string(v)
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return string(v)
	}
	return string(text)
}

// jsonWriter collects output up to maxJSONOutput and fails beyond it.
type jsonWriter struct{ bytes.Buffer }

var errJSONOutput = tool.Fail(tool.ValidationError, "The result would be larger than 4 MiB; send less, or indent less.")

// Write implements io.Writer.
func (w *jsonWriter) Write(p []byte) (int, error) {
	if w.Len()+len(p) > maxJSONOutput {
		return 0, errJSONOutput
	}
	return w.Buffer.Write(p)
}

// jsonIndented lays a valid value out with so many spaces for each level; 0 is
// one line without any.
func jsonIndented(v jsontext.Value, indent int) (string, error) {
	var w jsonWriter
	options := []jsontext.Options{jsontext.Multiline(false)}
	if indent > 0 {
		options = []jsontext.Options{jsontext.WithIndent(strings.Repeat(" ", indent))}
	}
	if err := jsontext.NewEncoder(&w, options...).WriteValue(v); err != nil {
		if errors.Is(err, errJSONOutput) {
			return "", errJSONOutput
		}
		return "", err
	}
	return strings.TrimSuffix(w.String(), "\n"), nil
}
