package foreign

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestSchema: texts are made legible, and whatever could mislead or does not compile is
// refused.
func TestSchema(t *testing.T) {
	t.Parallel()
	deep := `{"type": "object"}`
	for range maxDeep {
		deep = `{"type": "object", "properties": {"a": ` + deep + `}}`
	}
	for text, want := range map[string]string{
		`{"type": "object", "properties": {"a": {"type": "string", "description": " b\u200bc "}}}`: `{"properties":{"a":{"description":"bc","type":"string"}},"type":"object"}`,
		`{"type": "object", "properties": {"a\u200b": {}}}`:                                        "cannot be seen",
		`{"type": "object", "properties": {"a": {"enum": ["b\u202e"]}}}`:                           "cannot be seen",
		`{"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1/x"}}}`:                  "inside the document",
		`{"type": "object", "properties": {"a": {"typo": 1}}}`:                                     "typo",
		deep: "nested",
	} {
		var object map[string]any
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		raw, err := Schema(object)
		if err == nil && string(raw) != want || err != nil && (!errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), want)) {
			t.Errorf("Schema(%.80s) = %s, %v, want %s", text, raw, err, want)
		}
	}
}
