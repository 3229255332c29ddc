package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// parameter is one property of a tool's parameters, in the part shown to people.
type parameter struct {
	name     string
	Types    typeNames         `json:"type"`
	Doc      string            `json:"description"`
	Enum     []json.RawMessage `json:"enum"`
	Default  json.RawMessage   `json:"default"`
	Minimum  json.Number       `json:"minimum"`
	Maximum  json.Number       `json:"maximum"`
	Items    *parameter        `json:"items"`
	required bool
}

// typeNames is one type's name, or a list of them.
type typeNames []string

// UnmarshalJSON reads either form.
func (t *typeNames) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = typeNames{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// takes reports whether a value of that JSON type is passed as that type. A parameter
// that may be a string gets strings, and so does an unknown parameter.
func (p parameter) takes(kind string) bool {
	if slices.Contains(p.Types, "string") {
		return false
	}
	return slices.Contains(p.Types, kind) || kind == "number" && slices.Contains(p.Types, "integer")
}

// parametersOf parses the properties of a schema; it skips those it cannot parse.
func parametersOf(schema []byte) map[string]parameter {
	params := map[string]parameter{}
	for _, p := range orderedParameters(schema) {
		params[p.name] = p
	}
	return params
}

// orderedParameters returns the parameters in the order of the schema, which is their
// author's order.
func orderedParameters(schema []byte) []parameter {
	var object struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(schema, &object) != nil {
		return nil
	}
	var list []parameter
	dec := json.NewDecoder(bytes.NewReader(object.Properties))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return list
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return list
		}
		p := parameter{}
		if json.Unmarshal(raw, &p) != nil {
			p = parameter{}
		}
		p.name = fmt.Sprint(name)
		p.required = slices.Contains(object.Required, p.name)
		list = append(list, p)
	}
	return list
}

// kind describes the values that the parameter takes.
func (p parameter) kind() string {
	text := strings.Join(p.Types, " or ")
	if text == "" {
		text = "any"
	}
	if p.Items != nil && text == "array" {
		text += " of " + p.Items.kind()
	}
	if len(p.Enum) > 0 {
		values := make([]string, len(p.Enum))
		for i, v := range p.Enum {
			values[i] = bare(v)
		}
		text = strings.Join(values, "|")
	}
	switch low, high := p.Minimum != "", p.Maximum != ""; {
	case low && high:
		text += fmt.Sprintf(" %s..%s", p.Minimum, p.Maximum)
	case low:
		text += fmt.Sprintf(" from %s", p.Minimum)
	case high:
		text += fmt.Sprintf(" up to %s", p.Maximum)
	}
	return text
}

// bare returns a JSON value as typed on a command line.
func bare(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		return text
	}
	return string(raw)
}

// need describes whether the parameter is required, and its default otherwise.
func (p parameter) need() string {
	switch {
	case p.required:
		return "required"
	case len(p.Default) > 0:
		return "default " + bare(p.Default)
	}
	return "optional"
}
