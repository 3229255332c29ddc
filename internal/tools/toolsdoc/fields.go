package toolsdoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// schema is the documented part of a JSON Schema.
type schema struct {
	Type        json.RawMessage `json:"type"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Enum        []any           `json:"enum"`
	WriteOnly   bool            `json:"writeOnly"`
	Required    []string        `json:"required"`
	Properties  json.RawMessage `json:"properties"`
	Items       json.RawMessage `json:"items"`
	Additional  json.RawMessage `json:"additionalProperties"`

	Minimum   json.RawMessage `json:"minimum"`
	Maximum   json.RawMessage `json:"maximum"`
	MinLength json.RawMessage `json:"minLength"`
	MaxLength json.RawMessage `json:"maxLength"`
	MinItems  json.RawMessage `json:"minItems"`
	MaxItems  json.RawMessage `json:"maxItems"`
}

// field is a row of a table.
type field struct {
	name     string
	required bool
	schema
}

// maxFieldDepth limits the depth of listed nested objects.
const maxFieldDepth = 4

// fields lists the members of an object's schema in its order, each followed by the
// members of nested objects. A nil schema has none.
func fields(raw json.RawMessage) ([]field, error) { return appendFields(nil, "", raw, 0) }

func appendFields(all []field, prefix string, raw json.RawMessage, depth int) ([]field, error) {
	if len(raw) == 0 || depth > maxFieldDepth {
		return all, nil
	}
	object, err := parseSchema(raw)
	if err != nil || len(object.Properties) == 0 {
		return all, err
	}
	dec := jsontext.NewDecoder(bytes.NewReader(object.Properties))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		member := slices.Clone(json.RawMessage(value))
		s, err := parseSchema(member)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, field{name: prefix + name, required: slices.Contains(object.Required, name), schema: s})
		within, suffix := member, "."
		for items := s.Items; len(items) > 0; {
			inner, err := parseSchema(items)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			within, suffix, items = items, "[]"+suffix, inner.Items
		}
		if all, err = appendFields(all, prefix+name+suffix, within, depth+1); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func parseSchema(raw json.RawMessage) (s schema, err error) {
	if text := string(bytes.TrimSpace(raw)); text == "true" || text == "false" {
		return s, nil // any value, or none
	}
	err = json.Unmarshal(raw, &s)
	return s, err
}

// typeName describes the type of a value.
func (s *schema) typeName() string {
	var one string
	if json.Unmarshal(s.Type, &one) != nil {
		var many []string
		if json.Unmarshal(s.Type, &many) != nil || len(many) == 0 {
			return "any"
		}
		one = strings.Join(many, " or ")
	}
	inner, of := s.Items, "array of "
	if one == "object" && len(s.Properties) == 0 {
		inner, of = s.Additional, "object of "
	}
	if item, err := parseSchema(inner); len(inner) > 0 && err == nil && string(inner) != "{}" && inner[0] == '{' {
		return of + item.typeName()
	}
	return one
}

// values lists the values of an enum.
func (s *schema) values() string {
	var all []string
	for _, value := range s.Enum {
		text, err := json.Marshal(value)
		if err != nil {
			continue
		}
		all = append(all, code(plain(text)))
	}
	return strings.Join(all, ", ")
}

// allowed describes the allowed values of a parameter.
func (s *schema) allowed() string {
	parts := []string{s.values()}
	for _, bound := range []struct {
		least, most json.RawMessage
		unit        string
	}{{s.Minimum, s.Maximum, ""}, {s.MinLength, s.MaxLength, " characters"}, {s.MinItems, s.MaxItems, " items"}} {
		least, most := string(bound.least), string(bound.most)
		counted := func(text string) string { // 1 item, 2 items
			if text == "1" {
				return text + strings.TrimSuffix(bound.unit, "s")
			}
			return text + bound.unit
		}
		switch {
		case least != "" && most != "":
			parts = append(parts, least+" to "+counted(most))
		case least != "":
			parts = append(parts, "at least "+counted(least))
		case most != "":
			parts = append(parts, "at most "+counted(most))
		}
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "; ")
}

// plain formats a JSON value for people: a string without quotes, unless it is empty.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && text != "" {
		return text
	}
	return string(value)
}
