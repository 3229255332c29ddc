package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/schema"
)

// later are the dialects of JSON Schema in which the supported keywords have the same
// meaning as in draft-07.
var later = []string{
	"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
}

const maxNote = 1 << 10 // bytes of one description in a schema

// parameters converts a server's argument schema to ours. It refuses references out of
// the document, cycles, and unknown keywords.
func parameters(input any) (json.RawMessage, error) {
	object, ok := input.(map[string]any)
	if !ok && input != nil {
		return nil, fmt.Errorf("%w: it is not a JSON object", errSchema)
	}
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	if object["type"] == nil {
		object["type"] = "object"
	}
	if dialect, ok := object["$schema"].(string); ok && slices.Contains(later, strings.TrimSuffix(dialect, "#")) {
		delete(object, "$schema")
	}
	return compiled(object)
}

// resultSchema returns a server's result schema, or nil if it is unusable, since it is
// optional.
func resultSchema(output any) json.RawMessage {
	if output == nil {
		return nil
	}
	text, err := parameters(output)
	if err != nil {
		return nil
	}
	return text
}

func compiled(object map[string]any) (json.RawMessage, error) {
	clean, err := tidy(object, "")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSchema, err)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(clean); err != nil {
		return nil, err
	}
	raw := bytes.TrimSpace(text.Bytes())
	if _, err := schema.Compile(raw); err != nil {
		return nil, fmt.Errorf("%w: %s", errSchema, strings.ReplaceAll(strings.TrimPrefix(err.Error(), "schema: "), "\n", "; "))
	}
	return raw, nil
}

// maxDeep is the maximum nesting of a schema; the gate is stricter.
const maxDeep = 200

// tidy makes the texts in a schema legible, and refuses names and values with invisible
// characters.
func tidy(v any, under string) (any, error) {
	return tidyAt(v, under, 0)
}

func tidyAt(v any, under string, deep int) (any, error) {
	if deep > maxDeep {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDeep)
	}
	switch v := v.(type) {
	case string:
		if under == "description" || under == "title" || under == "$comment" {
			return legible(v, maxNote), nil
		}
		if hidden(v) {
			return nil, fmt.Errorf("the text %.80q holds characters that cannot be seen", v)
		}
		return v, nil
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = tidyAt(item, "", deep+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, member := range v {
			if hidden(name) {
				return nil, fmt.Errorf("the name %.80q holds characters that cannot be seen", name)
			}
			var err error
			if object[name], err = tidyAt(member, name, deep+1); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return v, nil
}
