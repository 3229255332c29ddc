package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ParameterHelp says in lines what a tool takes, for a model that is about to call
// it or did so wrongly: name, type, whether it is required, allowed values, default
// and meaning of each parameter.
func ParameterHelp(parameters json.RawMessage) string {
	var schema struct {
		Properties orderedProperties `json:"properties"`
		Required   []string          `json:"required"`
	}
	if err := json.Unmarshal(parameters, &schema); err != nil || len(schema.Properties) == 0 {
		return "It takes no parameters.\n"
	}
	var b strings.Builder
	for _, p := range schema.Properties {
		notes := []string{p.typeName()}
		if slices.Contains(schema.Required, p.name) {
			notes = append(notes, "required")
		}
		if len(p.Enum) > 0 {
			var values []string
			for _, value := range p.Enum {
				values = append(values, string(value))
			}
			notes = append(notes, "one of "+strings.Join(values, ", "))
		}
		if len(p.Default) > 0 {
			notes = append(notes, "default "+string(p.Default))
		}
		fmt.Fprintf(&b, "- %s (%s)", p.name, strings.Join(notes, ", "))
		if p.Description != "" {
			b.WriteString(": " + p.Description)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

type property struct {
	name        string
	Type        json.RawMessage   `json:"type"`
	Description string            `json:"description"`
	Enum        []json.RawMessage `json:"enum"`
	Default     json.RawMessage   `json:"default"`
	Items       *property         `json:"items"`
}

func (p *property) typeName() string {
	name := strings.Trim(string(p.Type), `"`)
	switch {
	case name == "":
		return "any"
	case name == "array" && p.Items != nil:
		return "array of " + p.Items.typeName()
	}
	return name
}

// orderedProperties keeps the order in which a schema names its parameters.
type orderedProperties []property

// UnmarshalJSON implements [json.Unmarshaler].
func (o *orderedProperties) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		p := property{name: fmt.Sprint(name)}
		if err := dec.Decode(&p); err != nil {
			return err
		}
		*o = append(*o, p)
	}
	return nil
}
