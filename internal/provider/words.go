package provider

import "github.com/helve-dev/helve/internal/lib/jsonwalk"

// words are the supported keywords of a schema, as JSON text, nil for missing ones. A
// schema that is true or false has none.
type words struct {
	ref, typ, title, description, def      []byte
	enum, constant, format, pattern        []byte
	minimum, maximum, minLength, maxLength []byte
	items, minItems, maxItems              []byte
	properties, required, additional       []byte
	allOf, anyOf, oneOf                    []byte
}

func wordsOf(schema []byte) words {
	var w words
	w.read(schema)
	return w
}

func (w *words) read(schema []byte) {
	for name, value := range jsonwalk.EachMember(schema) {
		w.take(name, value)
	}
}

// take stores a member of the schema, if it is supported.
func (w *words) take(name, value []byte) {
	at := w.word(string(key(name)))
	if at == nil {
		return
	}
	if at == &w.description && kind(value) != '"' {
		value = nil // unchanged in the output
	}
	*at = value
}

// word returns the field of a keyword, nil for an unsupported one.
func (w *words) word(name string) *[]byte {
	switch name {
	case "$ref":
		return &w.ref
	case "type":
		return &w.typ
	case "title":
		return &w.title
	case "description":
		return &w.description
	case "default":
		return &w.def
	case "enum":
		return &w.enum
	case "const":
		return &w.constant
	case "format":
		return &w.format
	case "pattern":
		return &w.pattern
	case "minimum":
		return &w.minimum
	case "maximum":
		return &w.maximum
	case "minLength":
		return &w.minLength
	case "maxLength":
		return &w.maxLength
	}
	return w.container(name)
}

// container is word for the keywords of lists, of objects and of nested schemas.
func (w *words) container(name string) *[]byte {
	switch name {
	case "items":
		return &w.items
	case "minItems":
		return &w.minItems
	case "maxItems":
		return &w.maxItems
	case "properties":
		return &w.properties
	case "required":
		return &w.required
	case "additionalProperties":
		return &w.additional
	case "allOf":
		return &w.allOf
	case "anyOf":
		return &w.anyOf
	case "oneOf":
		return &w.oneOf
	}
	return nil
}

// alternatives returns the list of schemas of which a value need match only one.
func (w *words) alternatives() []byte {
	if w.anyOf != nil {
		return w.anyOf
	}
	return w.oneOf
}

// fill copies from other the keywords that w does not have.
func (w *words) fill(other *words) {
	for _, name := range filled {
		if at := w.word(name); *at == nil {
			*at = *other.word(name)
		}
	}
}

var filled = []string{
	"type", "title", "description", "default", "enum", "const", "format", "pattern", "minimum", "maximum", "minLength", "maxLength",
	"items", "minItems", "maxItems", "additionalProperties", "anyOf", "oneOf",
}
