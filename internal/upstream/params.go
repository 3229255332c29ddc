package upstream

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/foreign"
)

// later are the dialects of JSON Schema in which the supported keywords have the same
// meaning as in draft-07.
var later = []string{
	"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
}

// parameters converts a server's argument schema to ours. It refuses references out of
// the document, cycles, and unknown keywords.
func parameters(input any) (json.RawMessage, error) {
	object, ok := input.(map[string]any)
	if !ok && input != nil {
		return nil, fmt.Errorf("%w: it is not a JSON object", foreign.ErrSchema)
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
	return foreign.Schema(object)
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
