package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/client"
)

// largestInput bounds the input from a file or standard input, in bytes: a server
// accepts no larger request.
const largestInput = 8 << 20

// arguments are the arguments of one call as typed: JSON, or fields.
type arguments struct {
	json   json.RawMessage
	fields []field
}

// field is one key=value. A raw field is JSON whatever the parameter's type.
type field struct {
	key, value string
	raw        bool
}

// parseArguments parses the words after the tool's name.
func parseArguments(typed []string, stdin io.Reader) (arguments, error) {
	var given arguments
	if len(typed) == 1 && typed[0] == "-" {
		text, err := readAll(stdin, "standard input")
		if err != nil {
			return given, err
		}
		given.json, err = object(text, "standard input")
		return given, err
	}
	if len(typed) == 1 && strings.HasPrefix(strings.TrimSpace(typed[0]), "{") {
		var err error
		given.json, err = object(typed[0], "the argument")
		return given, err
	}
	seen := map[string]bool{}
	for _, text := range typed {
		f, err := parseField(text)
		if err != nil {
			return given, err
		}
		if seen[f.key] {
			return given, Usage("%s is given twice; write an array as %s:='[...]'", f.key, f.key)
		}
		seen[f.key] = true
		given.fields = append(given.fields, f)
	}
	return given, nil
}

// object checks that text is one JSON object. The server checks whether its fields suit
// the tool.
func object(text, where string) (json.RawMessage, error) {
	raw := json.RawMessage(strings.TrimSpace(text))
	if err := checkJSON(string(raw), where); err != nil {
		return nil, err
	}
	if raw[0] != '{' {
		return nil, Usage("%s must be a JSON object, like {\"path\": \"notes.txt\"}", where)
	}
	return raw, nil
}

func parseField(text string) (field, error) {
	key, value, found := strings.Cut(text, "=")
	key, raw := strings.CutSuffix(key, ":")
	if !found || key == "" {
		return field{}, Usage("%q is not an argument; write key=value, key:=JSON, key=@FILE or one JSON object", text)
	}
	where := key
	if name, ok := strings.CutPrefix(value, "@"); ok {
		f, err := os.Open(name)
		if err != nil {
			return field{}, Usage("%s: %w; for a text that begins with @ write %s:='\"@...\"'", key, err, key)
		}
		defer f.Close()
		where = name
		if value, err = readAll(f, name); err != nil {
			return field{}, err
		}
	}
	check := checkText
	if raw {
		check = checkJSON
	}
	return field{key, value, raw}, check(value, where)
}

func checkText(text, where string) error {
	if !utf8.ValidString(text) {
		return Usage("%s is not UTF-8 text, which JSON cannot hold", where)
	}
	return nil
}

func checkJSON(text, where string) error {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil && !json.Valid([]byte(text)) {
		return Usage("%s is not JSON: %w", where, err)
	}
	return checkText(text, where)
}

func readAll(r io.Reader, where string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, largestInput+1))
	if err != nil {
		return "", Usage("read %s: %w", where, err)
	}
	if len(text) > largestInput {
		return "", Usage("%s is larger than %d bytes, which no server takes", where, largestInput)
	}
	return string(text), nil
}

// resolve returns the arguments as JSON. The definition of the tool decides which
// values are not strings; it is only fetched if a value could be one.
func (a *arguments) resolve(ctx context.Context, c *client.Client, name string) (json.RawMessage, error) {
	if a.fields == nil {
		return a.json, nil
	}
	var params map[string]parameter
	for _, f := range a.fields {
		if !f.raw && kindOf(f.value) != "string" {
			def, err := c.Tool(ctx, name)
			if failed, ok := errors.AsType[*client.RequestError](err); ok && failed.Type == client.NotFound {
				break // the call fails with the same error
			}
			if err != nil {
				return nil, err
			}
			params = parametersOf(def.Parameters)
			break
		}
	}
	return a.encode(params), nil
}

// encode returns the fields as an object; params decides which values are JSON.
func (a *arguments) encode(params map[string]parameter) json.RawMessage {
	if a.fields == nil {
		return a.json
	}
	var out bytes.Buffer
	for i, f := range a.fields {
		out.WriteByte("{,"[min(i, 1)])
		out.Write(quote(f.key))
		out.WriteByte(':')
		if f.raw || params[f.key].takes(kindOf(f.value)) {
			out.WriteString(f.value)
		} else {
			out.Write(quote(f.value))
		}
	}
	out.WriteByte('}')
	return out.Bytes()
}

// kindOf returns the JSON type of text; text that is not JSON, or is a JSON string, is
// a string as typed.
func kindOf(text string) string {
	if !json.Valid([]byte(text)) {
		return "string"
	}
	switch text = strings.TrimSpace(text); text[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	case '"':
		return "string"
	}
	return "number"
}

func quote(text string) []byte {
	var out bytes.Buffer
	if err := printJSON(&out, text); err != nil {
		panic(fmt.Sprintf("a string always encodes: %v", err))
	}
	return bytes.TrimSpace(out.Bytes())
}
