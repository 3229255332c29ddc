package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxDepth limits the nesting of an argument's JSON, as for the arguments themselves.
// It limits every recursion over such a value.
const maxDepth = 128

// MaxOutput limits a tool's output: white space and repeated names can make a result
// far larger than its input.
const MaxOutput = 4 << 20

// Argument returns the JSON of an argument: the contents of a string, because callers
// send JSON as text, or the value itself.
func Argument(name string, raw json.RawMessage) (jsontext.Value, error) {
	text, err := ArgumentText(name, raw)
	if err != nil {
		return nil, err
	}
	if problem := Problem(text); problem != "" {
		return nil, tool.Fail(tool.ValidationError, "Invalid JSON in %s: %s.", name, problem)
	}
	return bytes.Trim(text, space), nil
}

// longestEcho is the number of characters of the input that a message repeats.
const longestEcho = 60

// space is the white space JSON allows around a value.
const space = " \t\r\n"

// ArgumentText is Argument without checking that the text of a string is JSON.
func ArgumentText(name string, raw json.RawMessage) (jsontext.Value, error) {
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

// Problem returns the reason why text is not one JSON value, with line and column, or
// "". Duplicate member names are a problem too, because most readers keep only one of
// them.
func Problem(text []byte) string {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	for {
		_, err := dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return "there is nothing in it"
		case err != nil:
			return syntaxProblem(text, err)
		case dec.StackDepth() > maxDepth:
			return fmt.Sprintf("it is nested more than %d deep%s", maxDepth, position(text, dec.InputOffset()-1))
		case dec.StackDepth() == 0:
			rest := bytes.TrimLeft(text[dec.InputOffset():], space)
			if len(rest) > 0 {
				return "something follows the value" + position(text, int64(len(text)-len(rest)))
			}
			return ""
		}
	}
}

func syntaxProblem(text []byte, err error) string {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return "it cannot be read"
	}
	what := syntax.Err.Error()
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		what = fmt.Sprintf("the member %q is there twice", textcut.Excerpt(syntax.JSONPointer.LastToken(), longestEcho))
	case errors.Is(err, io.ErrUnexpectedEOF):
		what = "it ends too early"
	}
	return what + position(text, syntax.ByteOffset)
}

// position converts a byte offset to line and character, counted from 1.
func position(text []byte, offset int64) string {
	before := text[:min(max(offset, 0), int64(len(text)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf(" at line %d, column %d", line, column)
}

// Array is Argument for an argument that must be an array.
func Array(name string, raw json.RawMessage) ([]jsontext.Value, error) {
	value, err := Argument(name, raw)
	switch {
	case err != nil:
		return nil, err
	case value.Kind() != '[':
		return nil, tool.Fail(tool.ValidationError, "The parameter %s must be a JSON array, but it is of type %s.", name, jsonwalk.Kind(value))
	}
	return jsonwalk.Items(value), nil
}

// Writer collects output up to MaxOutput and fails beyond it.
type Writer struct{ bytes.Buffer }

var errOutput = tool.Fail(tool.ValidationError, "The result would be larger than 4 MiB; send less, or indent less.")

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	if w.Len()+len(p) > MaxOutput {
		return 0, errOutput
	}
	return w.Buffer.Write(p)
}

// Indent formats a valid value with this number of spaces for each level; 0 means one
// line without spaces.
func Indent(v jsontext.Value, indent int) (string, error) {
	var w Writer
	options := []jsontext.Options{jsontext.Multiline(false)}
	if indent > 0 {
		options = []jsontext.Options{jsontext.WithIndent(strings.Repeat(" ", indent))}
	}
	if err := jsontext.NewEncoder(&w, options...).WriteValue(v); err != nil {
		if errors.Is(err, errOutput) {
			return "", errOutput
		}
		return "", err
	}
	return strings.TrimSuffix(w.String(), "\n"), nil
}
