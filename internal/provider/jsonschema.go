package provider

import (
	"bytes"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// noParameters is the schema of a tool without parameters, for providers that require
// one.
const noParameters = `{"type":"object","properties":{}}`

// anyName accepts every parameter name, as OpenAI does.
func anyName([]byte) bool { return true }

// jsonSchema appends the parameters as JSON Schema for OpenAI and Anthropic. They are
// unchanged except for refused keywords: object describes those at the root, nested
// those below.
func (d *definition) jsonSchema(w []byte, allowed func(name []byte) bool) []byte {
	if kind(d.parameters) != '{' {
		return append(w, noParameters...)
	}
	type member struct{ name, value []byte }
	said, own := make([]member, 0, 8), words{}
	for name, value := range jsonwalk.EachMember(d.parameters) {
		said = append(said, member{name, value})
		own.take(name, value)
	}
	doc := newDocument(d.parameters)
	o := doc.said(&own)
	note := o.hide(allowed)
	w = append(w, `{"type":"object"`...)
	if description := o.words.description; description != nil || note != nil {
		w = describe(append(w, `,"description":`...), description, note)
	}
	w = append(w, `,"properties":{`...)
	for i, p := range o.properties {
		if i > 0 {
			w = append(w, ',')
		}
		w = nested(append(append(w, p.name...), ':'), asObject(p.whole()))
	}
	w = o.demand(append(w, '}'))
	for _, m := range said {
		switch word := key(m.name); string(word) {
		case "type", "description", "properties", "required", // written separately
			"$ref", "allOf", "anyOf", "oneOf", "enum", "const", "not", "if", "then", "else", // refused, or useless without those refused
			"$schema", "$id": // draft-07, which it no longer is
		default:
			w = append(append(append(w, ','), m.name...), ':')
			w = keyword(w, word, m.value)
		}
	}
	return append(w, '}')
}

// nested appends a schema inside another. An array gets items, without which OpenAI
// refuses it ("array schema missing items"), and a list of items becomes one schema,
// because Anthropic reads draft 2020-12, in which it cannot be a list. A reference out
// of the document is dropped: nobody would follow it.
func nested(w, schema []byte) []byte {
	if kind(schema) != '{' || flat(schema) {
		return append(w, schema...)
	}
	array, items := false, false
	w = append(w, '{')
	start := len(w)
	for name, value := range jsonwalk.EachMember(schema) {
		word := key(name)
		switch string(word) {
		case "type":
			array = mentions(value, "array")
		case "items":
			items = true
		case "$ref":
			if kind(value) != '"' || len(value) < 3 || value[1] != '#' {
				continue
			}
		}
		if len(w) > start {
			w = append(w, ',')
		}
		w = keyword(append(append(w, name...), ':'), word, value)
	}
	if array && !items {
		w = append(w, `,"items":{}`...)
	}
	return append(w, '}')
}

// flat reports whether a schema certainly needs no change, which is true of most
// parameters.
func flat(schema []byte) bool {
	return bytes.IndexByte(schema[1:], '{') < 0 && bytes.IndexByte(schema, '\\') < 0 &&
		!bytes.Contains(schema, []byte(`"array"`)) && !bytes.Contains(schema, []byte(`"$ref"`))
}

// keyword appends the value of a keyword: schemas are processed, other values are
// unchanged.
func keyword(w, word, value []byte) []byte {
	switch string(word) {
	case "items":
		if kind(value) == '[' {
			value = oneOfItems(value)
		}
		return nested(w, value)
	case "additionalProperties", "additionalItems", "contains", "propertyNames", "not", "if", "then", "else":
		return nested(w, value)
	case "properties", "patternProperties", "$defs", "definitions", "dependencies", "dependentSchemas":
		w = append(w, '{')
		start := len(w)
		for name, schema := range jsonwalk.EachMember(value) {
			if len(w) > start {
				w = append(w, ',')
			}
			w = nested(append(append(w, name...), ':'), asObject(schema))
		}
		return append(w, '}')
	case "allOf", "anyOf", "oneOf":
		w = append(w, '[')
		for i, schema := range jsonwalk.EachItem(value) {
			if i > 0 {
				w = append(w, ',')
			}
			w = nested(w, schema)
		}
		return append(w, ']')
	}
	return append(w, value...)
}

// asObject returns the schema of a name as an object. True and false are schemas too, but
// many clients read only objects: the official TypeScript client refuses a whole list of
// tools for one true.
func asObject(schema []byte) []byte {
	switch kind(schema) {
	case 't', 'n':
		return []byte("{}")
	case 'f':
		return []byte(`{"not":{}}`)
	}
	return schema
}

// oneOfItems returns a schema that accepts any element that a list of schemas
// describes.
func oneOfItems(list []byte) []byte {
	var schemas [][]byte
	for _, schema := range jsonwalk.EachItem(list) {
		schemas = append(schemas, schema)
	}
	switch len(schemas) {
	case 0:
		return []byte("{}")
	case 1:
		return schemas[0]
	}
	return anyOf(schemas)
}

// mentions reports whether a value is the string text, or a list that contains it.
func mentions(value []byte, text string) bool {
	if string(key(value)) == text {
		return true
	}
	for _, element := range jsonwalk.EachItem(value) {
		if string(key(element)) == text {
			return true
		}
	}
	return false
}

// describe appends a description followed by our own notes.
func describe(w, description []byte, notes []byte) []byte {
	if len(notes) == 0 {
		return append(w, description...)
	}
	text, _ := textOf(description)
	if text == "" {
		notes = notes[1:] // without the leading space
	}
	return quote(w, append([]byte(text), notes...))
}
