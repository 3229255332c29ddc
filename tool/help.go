package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ParameterHelp describes a tool's parameters in lines of text, for a model that is
// about to call it or has called it wrongly: name, type, whether it is required,
// allowed values, default and meaning of each.
func ParameterHelp(parameters json.RawMessage) string {
	var schema property
	if err := json.Unmarshal(parameters, &schema); err != nil || len(schema.Properties) == 0 {
		return "It takes no parameters.\n"
	}
	var b strings.Builder
	schema.describe(&b, "")
	return b.String()
}

// mostNested is the depth to which the fields of objects are listed.
const mostNested = 3

// describe lists the fields of an object, and below each field those of its object or
// of its array's items.
func (p *property) describe(b *strings.Builder, indent string) {
	for _, field := range p.Properties {
		notes := []string{field.typeName()}
		if slices.Contains(p.Required, field.name) {
			notes = append(notes, "required")
		}
		if len(field.Enum) > 0 {
			var values []string
			for _, value := range field.Enum {
				values = append(values, string(value))
			}
			notes = append(notes, "one of "+strings.Join(values, ", "))
		}
		if len(field.Default) > 0 {
			notes = append(notes, "default "+string(field.Default))
		}
		fmt.Fprintf(b, "%s- %s (%s)", indent, field.name, strings.Join(notes, ", "))
		if field.Description != "" {
			b.WriteString(": " + field.Description)
		}
		b.WriteByte('\n')
		inner := &field
		for inner.Items != nil {
			inner = inner.Items
		}
		if len(indent) < 2*mostNested {
			inner.describe(b, indent+"  ")
		}
	}
}

type property struct {
	name        string
	Type        json.RawMessage
	Description string
	Enum        []json.RawMessage
	Default     json.RawMessage
	Items       *property
	Properties  orderedProperties
	Required    []string
}

// UnmarshalJSON implements [json.Unmarshaler]. Schemas have many authors: a part that
// is not in the usual form, such as a schema that is just true, is left out.
func (p *property) UnmarshalJSON(data []byte) error {
	var words map[string]json.RawMessage
	_ = json.Unmarshal(data, &words)
	p.Type, p.Default = words["type"], words["default"]
	for word, into := range map[string]any{
		"description": &p.Description, "enum": &p.Enum, "items": &p.Items, "properties": &p.Properties, "required": &p.Required,
	} {
		_ = json.Unmarshal(words[word], into)
	}
	return nil
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
	if begin, err := dec.Token(); err != nil || begin != json.Delim('{') {
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
