package asyncapi

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/helve-dev/helve/tool"
)

// Schema is a JSON Schema. Readers ignore additional fields.
type Schema map[string]any

// schemaOf returns the schema of T as encoding/json writes it, with the descriptions of
// its tags and the forms of this package.
func schemaOf[T any](message string) (Schema, error) {
	text, err := tool.SchemaOf[T]()
	if err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", message, err)
	}
	var s Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", message, err)
	}
	explain(message, s)
	return s, nil
}

// explain sets the forms of a schema's fields, recursively.
func explain(message string, s map[string]any) {
	if items, ok := s["items"].(map[string]any); ok {
		explain(message, items)
	}
	fields, _ := s["properties"].(map[string]any)
	for name, value := range fields {
		field, ok := value.(map[string]any)
		if !ok {
			continue
		}
		form, ok := forms[message+"."+name]
		if !ok {
			form = forms[name]
		}
		if form != nil {
			description := field["description"]
			clear(field)
			maps.Copy(field, form)
			field["description"] = description
		}
		explain(message, field)
	}
}

// headers returns the schema of NATS headers, which are all strings.
func headers(required []string, names ...string) Schema {
	fields := map[string]any{}
	for _, name := range names {
		fields[name] = map[string]any{"type": "string", "description": headerTexts[name]}
	}
	s := Schema{"type": "object", "properties": fields}
	if required != nil {
		s["required"] = required
	}
	return s
}
