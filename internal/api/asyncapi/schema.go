package asyncapi

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/helve-dev/helve/tool"
)

// Schema is a JSON Schema. Readers ignore fields that are not in it.
type Schema map[string]any

// schemaOf is the schema of T as encoding/json writes it, with what the vocabulary says
// of its fields. A field of another form than its Go type is in the vocabulary too.
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

// explain says what the fields of a schema are, all the way down.
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
		w, ok := vocabulary[message+"."+name]
		if !ok {
			w = vocabulary[name]
		}
		if w.form != nil {
			clear(field)
			maps.Copy(field, w.form)
		}
		if w.means != "" {
			field["description"] = w.means
		}
		explain(message, field)
	}
}

// headers is the schema of NATS headers, which are all texts.
func headers(required []string, names ...string) Schema {
	fields := map[string]any{}
	for _, name := range names {
		fields[name] = map[string]any{"type": "string", "description": vocabulary[name].means}
	}
	s := Schema{"type": "object", "properties": fields}
	if required != nil {
		s["required"] = required
	}
	return s
}
