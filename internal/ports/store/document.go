package store

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

var (
	shapeName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	fieldForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
)

func checkShape(shape *tool.Shape) error {
	if shape == nil || !shapeName.MatchString(shape.Name) {
		return tool.Fail(tool.Internal, "the tool names no collection that can be stored")
	}
	return nil
}

// checkDocument refuses what one of the databases cannot store.
func checkDocument(shape *tool.Shape, doc json.RawMessage) error {
	if err := checkShape(shape); err != nil {
		return err
	}
	if len(doc) > maxDocument {
		return tool.Fail(tool.ValidationError, "the data is %d bytes as JSON, and at most %d can be stored in one item", len(doc), maxDocument)
	}
	if !json.Valid(doc) || len(doc) == 0 || doc[0] != '{' {
		return tool.Fail(tool.Internal, "the tool stores something that is no JSON object")
	}
	if bytes.Contains(doc, []byte(`\u0000`)) {
		var v any
		if err := json.Unmarshal(doc, &v); err != nil || hasNUL(v) {
			return tool.Fail(tool.ValidationError, "a text holds the character NUL, which cannot be stored; leave it out").Because(err)
		}
	}
	return nil
}

// hasNUL reports whether a text or a name in v holds NUL.
func hasNUL(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.ContainsRune(v, 0)
	case []any:
		return slices.ContainsFunc(v, hasNUL)
	case map[string]any:
		for name, item := range v {
			if strings.ContainsRune(name, 0) || hasNUL(item) {
				return true
			}
		}
	}
	return false
}
