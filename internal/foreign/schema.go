package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/schema"
)

// ErrSchema means that a schema cannot be offered.
var ErrSchema = errors.New("its schema is refused")

const maxNote = 1 << 10 // bytes of one description in a schema

// Schema encodes a schema of a tool's parameters in draft-07, with legible texts. It
// refuses references out of the document, cycles, unknown keywords, and names and values
// with invisible characters.
func Schema(object map[string]any) (json.RawMessage, error) {
	clean, err := tidy(object, "", 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(clean); err != nil {
		return nil, err
	}
	raw := bytes.TrimSpace(text.Bytes())
	if _, err := schema.Compile(raw); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrSchema, strings.ReplaceAll(strings.TrimPrefix(err.Error(), "schema: "), "\n", "; "))
	}
	return raw, nil
}

// maxDeep is the maximum nesting of a schema; package schema is stricter.
const maxDeep = 200

// tidy makes the texts in a schema legible, and refuses names and values with invisible
// characters. Under is the name of the member whose value v is.
func tidy(v any, under string, deep int) (any, error) {
	if deep > maxDeep {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDeep)
	}
	switch v := v.(type) {
	case string:
		if under == "description" || under == "title" || under == "$comment" {
			return Text(v, maxNote), nil
		}
		if Hidden(v) {
			return nil, fmt.Errorf("the text %.80q holds characters that cannot be seen", v)
		}
		return v, nil
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = tidy(item, "", deep+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, member := range v {
			if Hidden(name) {
				return nil, fmt.Errorf("the name %.80q holds characters that cannot be seen", name)
			}
			var err error
			if object[name], err = tidy(member, name, deep+1); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return v, nil
}
