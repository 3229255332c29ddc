package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/jsonx/schema"
)

// ErrSchema means that a schema cannot be offered.
var ErrSchema = errors.New("its schema is refused")

const maxNote = 1 << 10 // bytes of one description in a schema

// Schema translates the schema of a tool's parameters into draft-07 with legible texts.
// It reads the dialects from draft-04 to 2020-12. A keyword that none of them defines is
// an annotation. A rule that cannot be checked here is left out, never the tool: unchecked
// names each such rule and its place. The error is for names and values with invisible
// characters, which could mislead a person or a model.
func Schema(object map[string]any) (raw json.RawMessage, unchecked []string, err error) {
	whole, unchecked := translate(object)
	clean, err := tidy(whole, "", maxNote, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	whole, _ = clean.(map[string]any) // tidy keeps the type
	if raw, err = compiled(whole); err == nil {
		return raw, unchecked, nil
	}
	why := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "schema: "), "\n", "; ")
	if raw, err = compiled(outline(whole)); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return raw, append(unchecked, "all of it: "+Text(why, maxReason)), nil
}

const maxReason = 200 // bytes of the reason for one unchecked rule

// compiled encodes a schema that package schema accepts. Defaults of parameters that do
// not fit are removed from it, because they would be filled in.
func compiled(object map[string]any) (json.RawMessage, error) {
	raw, err := encode(object)
	if err != nil {
		return nil, err
	}
	props, _ := object["properties"].(map[string]any)
	unfit := 0
	_, err = schema.Compile(raw, schema.Unfit(func(name string) {
		if p, ok := props[name].(map[string]any); ok {
			delete(p, "default")
			unfit++
		}
	}))
	if err != nil || unfit == 0 {
		return raw, err
	}
	return encode(object)
}

func encode(v any) (json.RawMessage, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(text.Bytes()), err
}

// outline returns a schema with the names and descriptions of the parameters only.
func outline(object map[string]any) map[string]any {
	names := map[string]any{}
	props, _ := object["properties"].(map[string]any)
	for name, v := range props {
		p, _ := v.(map[string]any)
		names[name] = map[string]any{}
		if note, ok := p["description"]; ok {
			names[name] = map[string]any{"description": note}
		}
	}
	return map[string]any{"type": "object", "properties": names, "additionalProperties": true}
}
