package provider

import (
	"slices"
	"strconv"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// typeNames are the types of JSON Schema except null. The first five are the possible
// types of a value if a schema names none: Gemini requires a type everywhere ("type:
// must be specified").
var typeNames = []string{"string", "number", "boolean", "object", "array", "integer"}

// typesOf returns the types that a schema names, or else those its other keywords apply
// to, and whether null is allowed.
func typesOf(s *words) (types []string, null bool) {
	if i := slices.Index(typeNames, string(key(s.typ))); i >= 0 && s.enum == nil && s.constant == nil {
		return typeNames[i : i+1 : i+1], false // by far the most common case
	}
	for _, name := range typeNames {
		if mentions(s.typ, name) {
			types = append(types, name)
		}
	}
	null = mentions(s.typ, "null")
	for value := range s.values() {
		if kind(value) == 'n' {
			null = true
		} else if s.typ == nil && !slices.Contains(types, typeOf(value)) {
			types = append(types, typeOf(value))
		}
	}
	switch {
	case len(types) > 0:
	case s.typ != nil && null: // only null
		types = []string{"string"}
	case s.properties != nil || s.required != nil:
		types = []string{"object"}
	case s.items != nil || s.minItems != nil || s.maxItems != nil:
		types = []string{"array"}
	case s.pattern != nil || s.minLength != nil || s.maxLength != nil:
		types = []string{"string"}
	case s.minimum != nil || s.maximum != nil:
		types = []string{"number"}
	}
	return types, null
}

// typeOf returns the type of a value other than null.
func typeOf(value []byte) string {
	switch kind(value) {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	}
	return "number"
}

// values yields the values that enum or const allows.
func (w *words) values() func(yield func(value []byte) bool) {
	return func(yield func(value []byte) bool) {
		if w.constant != nil && !yield(w.constant) {
			return
		}
		for _, value := range jsonwalk.EachItem(w.enum) {
			if !yield(value) {
				return
			}
		}
	}
}

// typed appends a schema of one type, named as in JSON Schema. The properties of an
// object come from schema, unless it is nil, the rest from s.
func (g *geminiSchema) typed(w []byte, typ string, schema []byte, s *words, x extra) []byte {
	switch typ {
	case "object":
		var o object
		if schema == nil {
			o = g.said(s)
		} else {
			o = g.object(schema)
		}
		note := o.hide(geminiName)
		if len(o.properties) == 0 && len(s.additional) > len("{}") && s.additional[0] == '{' {
			note = append(append(append(note, " Takes any keys, each with a value like "...), s.additional...), '.')
		}
		return g.properties(w, &o, note, s, x)
	case "array":
		items := s.items
		if kind(items) == '[' {
			items = oneOfItems(items)
		}
		w = g.schema(append(head(w, "ARRAY", s, nil, x), `,"items":`...), items, extra{})
		w = size(w, `,"minItems":`, s.minItems)
		w = size(w, `,"maxItems":`, s.maxItems)
	case "string":
		w = stringType(w, s, x)
	case "integer":
		w = numberType(w, "INTEGER", s, x, `"int32"`, `"int64"`)
	case "number":
		w = numberType(w, "NUMBER", s, x, `"float"`, `"double"`)
	default:
		w = head(w, "BOOLEAN", s, numbers(s, "boolean"), x)
	}
	return append(w, '}')
}

// head appends the fields common to all types, and leaves the schema open.
func head(w []byte, typ string, s *words, note []byte, x extra) []byte {
	w = append(append(append(w, `{"type":"`...), typ...), '"')
	if len(key(s.title)) > 0 {
		w = append(append(w, `,"title":`...), s.title...)
	}
	if description := joined(x.description, s.description); len(description) > len(`""`) || len(note) > 0 {
		w = describe(append(w, `,"description":`...), description, note)
	}
	if x.nullable {
		w = append(w, `,"nullable":true`...)
	}
	if given(s.def) != nil {
		w = append(append(w, `,"default":`...), s.def...)
	}
	return w
}

// properties appends an object.
func (g *geminiSchema) properties(w []byte, o *object, note []byte, s *words, x extra) []byte {
	w = head(w, "OBJECT", s, note, x)
	for i, p := range o.properties {
		if i == 0 {
			w = append(w, `,"properties":{`...)
		} else {
			w = append(w, ',')
		}
		w = g.schema(append(append(w, p.name...), ':'), p.whole(), extra{})
	}
	if len(o.properties) > 0 {
		w = append(w, '}')
	}
	return append(o.demand(w), '}')
}

// stringType appends a string. An empty value of an enum is refused ("enum[0]: cannot
// be empty"), and so is every format but these two ("only 'enum' and 'date-time' are
// supported for STRING type").
func stringType(w []byte, s *words, x extra) []byte {
	var note []byte
	listed := false
	for value := range s.values() {
		switch {
		case string(value) == `""`:
			note = []byte(" It may be empty too.")
		case kind(value) == '"':
			listed = true
		}
	}
	w = head(w, "STRING", s, note, x)
	if listed {
		w = append(w, `,"enum":`...)
		open := byte('[')
		for value := range s.values() {
			if kind(value) == '"' && len(value) > len(`""`) {
				w = append(append(w, open), value...)
				open = ','
			}
		}
		w = append(w, ']')
	} else if string(s.format) == `"date-time"` {
		w = append(w, `,"format":"date-time"`...)
	}
	w = size(w, `,"minLength":`, s.minLength)
	w = size(w, `,"maxLength":`, s.maxLength)
	if len(key(s.pattern)) > 0 {
		w = append(append(w, `,"pattern":`...), s.pattern...)
	}
	return w
}

// numberType appends a number with one of two formats.
func numberType(w []byte, typ string, s *words, x extra, formats ...string) []byte {
	w = head(w, typ, s, numbers(s, "number"), x)
	if slices.Contains(formats, string(s.format)) {
		w = append(append(w, `,"format":`...), s.format...)
	}
	if s.minimum != nil && typeOf(s.minimum) == "number" {
		w = append(append(w, `,"minimum":`...), s.minimum...)
	}
	if s.maximum != nil && typeOf(s.maximum) == "number" {
		w = append(append(w, `,"maximum":`...), s.maximum...)
	}
	return w
}

// numbers returns a sentence with the values of an enum, because Gemini supports enums
// of strings only ("enum: only allowed for STRING type").
func numbers(s *words, typ string) []byte {
	var note []byte
	for value := range s.values() {
		if kind(value) == 'n' || typeOf(value) != typ {
			continue
		}
		if note == nil {
			note = []byte(" One of: ")
		} else {
			note = append(note, ", "...)
		}
		note = append(note, value...)
	}
	if note != nil {
		note = append(note, '.')
	}
	return note
}

// size appends a bound that must be a whole number, which JSON may also write as 2.0.
func size(w []byte, name string, bound []byte) []byte {
	if bound == nil {
		return w
	}
	n, err := strconv.ParseFloat(string(bound), 64)
	if err != nil || n < 0 || n != float64(int64(n)) {
		return w
	}
	return strconv.AppendInt(append(w, name...), int64(n), 10)
}
