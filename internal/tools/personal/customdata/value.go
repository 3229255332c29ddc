package customdata

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

const (
	// maxText bounds a text, in bytes.
	maxText = 900_000
	// maxDepth bounds how deeply a JSON value is nested.
	maxDepth = 100
)

// value returns a value that a caller gave for the column, in its one form as JSON; nil
// for null.
func (c *column) value(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	switch c.Type {
	case typeNumber:
		return number(raw)
	case typeBoolean:
		if text := string(raw); text == "true" || text == "false" {
			return raw, nil
		}
		return nil, c.misfit(raw, "true or false, without quotes")
	case typeJSON:
		return jsonValue(raw)
	}
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return nil, c.misfit(raw, map[string]string{
			typeText: "a text in quotes", typeDate: `a day such as "2026-11-23"`,
			typeDatetime: `a time such as "2026-11-23T09:00" or "2026-11-23T09:00+01:00"`,
		}[c.Type])
	}
	if err := checkText("the text", text, maxText); err != nil {
		return nil, err
	}
	if c.Type == typeText {
		return encoded(text), nil
	}
	at, err := dates.Written(text)
	if err != nil {
		return nil, err
	}
	if c.Type == typeDate && len(at) > len("2026-11-23") {
		return nil, tool.Fail(tool.ValidationError, "%.80q has a time, and a date column holds days: write YYYY-MM-DD, or use a datetime column",
			text)
	}
	return encoded(at), nil
}

func (c *column) misfit(raw json.RawMessage, want string) error {
	return tool.Fail(tool.ValidationError, "%s is a %s column and needs %s, not %s", c.Name, c.Type, want, kindOf(raw))
}

// kindOf describes a JSON value in an error.
func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "a text"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "true or false"
	}
	return "a number"
}

// encoded returns a text as JSON.
func encoded(text string) json.RawMessage {
	raw, _ := jsontext.AppendQuote(nil, text) // encoding/json reads valid UTF-8 only
	return raw
}

// jsonValue returns any JSON value without blanks between its parts.
func jsonValue(raw json.RawMessage) (json.RawMessage, error) {
	if depth(raw) > maxDepth {
		return nil, tool.Fail(tool.ValidationError, "the value is nested more than %d deep", maxDepth)
	}
	var w bytes.Buffer
	if err := json.Compact(&w, raw); err != nil {
		return nil, tool.Fail(tool.ValidationError, "the value is not valid JSON: %s", err)
	}
	if strings.Contains(strings.ReplaceAll(w.String(), `\\`, ""), `\u0000`) {
		return nil, tool.Fail(tool.ValidationError, "the value holds the character NUL, which cannot be stored; leave it out")
	}
	if w.Len() > maxText {
		return nil, tool.Fail(tool.ValidationError, "the value is %d bytes long, and at most %d are allowed", w.Len(), maxText)
	}
	return w.Bytes(), nil
}

// depth returns how deeply a JSON value is nested.
func depth(raw json.RawMessage) int {
	var now, most int
	text := false
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case text && b == '\\':
			i++
		case b == '"':
			text = !text
		case text:
		case b == '{' || b == '[':
			now++
			most = max(most, now)
		case b == '}' || b == ']':
			now--
		}
	}
	return most
}

// textsIn returns the texts in a JSON value, for the search.
func textsIn(v any) []string {
	var list []string
	switch v := v.(type) {
	case string:
		list = append(list, v)
	case []any:
		for _, item := range v {
			list = append(list, textsIn(item)...)
		}
	case map[string]any:
		for _, item := range v {
			list = append(list, textsIn(item)...)
		}
	}
	return list
}
