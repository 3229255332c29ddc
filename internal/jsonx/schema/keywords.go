package schema

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/xeipuuv/gojsonschema"
)

// shape is the kind of value that a keyword requires.
type shape int

const (
	note         shape = iota // no effect on values; the library never receives it
	aSchema                   // a schema
	schemaList                // a non-empty list of schemas
	schemaMap                 // schemas by name
	itemsShape                // a schema or a list of schemas
	dependencies              // by name, a schema or a list of names
	count                     // a whole number from 0
	number
	typeNames // a type or a list of types
	names     // a list of different strings
	values    // a non-empty list of anything
	anything
	flag
	expression // a regular expression
	formatName
	reference
)

// keywords are those of draft-07, and $defs, the later name of definitions. All other
// keywords are refused: the library would ignore them, and a misspelt keyword would
// silently accept every value.
var keywords = map[string]shape{
	"$schema": note, "$id": note, "$comment": note, "title": note, "description": note,
	"default": note, "examples": note, "readOnly": note, "writeOnly": note,
	"contentEncoding": note, "contentMediaType": note,
	"$ref": reference, "$defs": schemaMap, "definitions": schemaMap,
	"type": typeNames, "enum": values, "const": anything, "format": formatName,
	"minimum": number, "maximum": number, "exclusiveMinimum": number, "exclusiveMaximum": number, "multipleOf": number,
	"minLength": count, "maxLength": count, "pattern": expression,
	"minItems": count, "maxItems": count, "uniqueItems": flag,
	"items": itemsShape, "additionalItems": aSchema, "contains": aSchema,
	"minProperties": count, "maxProperties": count, "required": names,
	"properties": schemaMap, "patternProperties": schemaMap, "additionalProperties": aSchema,
	"propertyNames": aSchema, "dependencies": dependencies,
	"allOf": schemaList, "anyOf": schemaList, "oneOf": schemaList, "not": aSchema,
	"if": aSchema, "then": aSchema, "else": aSchema,
}

// plainWords are the keywords the fast check knows.
var plainWords = map[string]bool{
	"$ref": true, "$defs": true, "definitions": true, "type": true, "enum": true, "const": true,
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true,
	"minLength": true, "maxLength": true, "minItems": true, "maxItems": true, "items": true,
	"properties": true, "required": true, "additionalProperties": true,
	"format": true, // where a format is kept, leaf takes the rule out of the fast check
}

// leaf reads a keyword that holds no schema.
func (c *compiler) leaf(r *rule, word string, s shape, v any) {
	at := pointer(r.at, word)
	switch s {
	case note:
		c.note(r, word, v, at)
		return
	case count:
		c.count(r, word, v, at)
		return
	case number:
		n, ok := v.(json.Number)
		if !ok || word == "multipleOf" && !positive(n) {
			c.fail(at, "expected a number%s, got %s", map[bool]string{true: " above 0"}[word == "multipleOf"], show(v))
			return
		}
		if strings.ContainsAny(n.String(), "eE") {
			r.extremes++
		}
		if word != "multipleOf" {
			r.bounds = append(r.bounds, newBound(n.String(), strings.HasSuffix(word, "aximum"), strings.HasPrefix(word, "ex")))
		}
	case typeNames:
		c.types(r, v, at)
	case names:
		r.required = c.names(v, at)
	case values, anything:
		c.values(r, s, v, at)
	case flag:
		on, ok := v.(bool)
		if !ok {
			c.fail(at, "expected true or false, got %s", show(v))
		}
		r.compares = r.compares || on
	case expression:
		_, r.insts = c.expression(v, at)
	case formatName:
		name, ok := v.(string)
		if !ok {
			c.fail(at, "expected a string, got %s", show(v))
		}
		// The library also applies formats to numbers, so a format is kept only if the
		// value is certainly a string.
		if r.kinds != kindString || !gojsonschema.FormatCheckers.Has(name) {
			return
		}
		r.plain, r.regex = false, name == "regex"
	case reference:
		r.ref, _ = v.(string)
		if !strings.HasPrefix(r.ref, "#") {
			c.fail(at, "only references inside the document are allowed, such as \"#/$defs/name\", not %s", show(v))
		}
		return
	}
	r.words[word] = v
}

// note checks the few annotations that Helve uses.
func (c *compiler) note(r *rule, word string, v any, at string) {
	switch word {
	case "$schema":
		url, _ := v.(string)
		switch strings.TrimSuffix(url, "#") {
		case "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema":
		default:
			c.fail(at, "only draft-07 (http://json-schema.org/draft-07/schema#) is understood, not %s", show(v))
		}
	case "$id":
		if r.at != "" {
			c.fail(at, "only the root may have $id, since it changes what references mean")
		}
	case "writeOnly":
		// It marks secrets that must never be shown; a misspelt mark would show them.
		if _, ok := v.(bool); !ok {
			c.fail(at, "expected true or false, got %s", show(v))
		}
	}
}

// count reads a limit on a size. 2.0 is a whole number too, but not to the library, which
// therefore receives 2.
func (c *compiler) count(r *rule, word string, v any, at string) {
	num, _ := v.(json.Number)
	f, err := strconv.ParseFloat(num.String(), 64)
	if err != nil || f < 0 || f != math.Trunc(f) || f > math.MaxInt32 {
		c.fail(at, "expected a whole number from 0 to %d, got %s", math.MaxInt32, show(v))
		return
	}
	n := int(f)
	r.words[word] = json.Number(strconv.Itoa(n))
	switch word {
	case "minLength":
		r.minLength = n
	case "maxLength":
		r.maxLength = n
	case "minItems":
		r.minItems = n
	case "maxItems":
		r.maxItems = n
	}
}

// types reads "type".
func (c *compiler) types(r *rule, v any, at string) {
	list, many := v.([]any)
	if !many {
		list = []any{v}
	}
	for _, item := range list {
		name, _ := item.(string)
		kind := kindNames[name]
		switch {
		case kind == 0:
			c.fail(at, "expected one of %s, got %s", strings.Join(slices.Sorted(maps.Keys(kindNames)), ", "), show(item))
		case r.kinds&kind != 0:
			c.fail(at, "%q is named twice", name)
		}
		r.kinds |= kind
	}
	if len(list) == 0 {
		c.fail(at, "expected at least one type")
	}
}

// names reads a list of different strings.
func (c *compiler) names(v any, at string) []string {
	list, ok := v.([]any)
	if !ok {
		c.fail(at, "expected a list of names, got %s", show(v))
	}
	var names []string
	for _, item := range list {
		name, ok := item.(string)
		if !ok || slices.Contains(names, name) {
			c.fail(at, "expected different names, got %s", show(item))
			return nil
		}
		names = append(names, name)
	}
	return names
}

// values reads enum and const.
func (c *compiler) values(r *rule, s shape, v any, at string) {
	list := []any{v}
	if s == values {
		var ok bool
		if list, ok = v.([]any); !ok || len(list) == 0 {
			c.fail(at, "expected a list of at least one value, got %s", show(v))
			return
		}
	}
	r.plain = r.plain && !r.listed // both enum and const
	r.listed, r.compares, r.strings = true, true, map[string]struct{}{}
	for _, item := range list {
		text := encode(item)
		r.weight += len(text)
		switch item := item.(type) {
		case string:
			r.strings[item] = struct{}{}
		case map[string]any, []any:
			r.plain = false
		default:
			r.literals = append(r.literals, string(text))
		}
	}
}

// expression compiles a regular expression and bounds its size.
func (c *compiler) expression(v any, at string) (matcher, int) {
	text, ok := v.(string)
	if !ok || len(text) > maxPattern {
		c.fail(at, "expected a regular expression of at most %d characters, got %s", maxPattern, show(v))
		return nil, 0
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		c.fail(at, "the pattern does not compile (RE2 syntax): %s", clip(err.Error()))
		return nil, 0
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		c.fail(at, "the pattern does not compile: %s", clip(err.Error()))
		return nil, 0
	}
	if c.insts += len(prog.Inst); c.insts > maxInsts {
		c.fail(at, "the patterns of this schema are too large together; use smaller repeat counts")
		return nil, 0
	}
	re, err := regexp.Compile(text)
	if err != nil {
		c.fail(at, "the pattern does not compile: %s", clip(err.Error()))
		return nil, 0
	}
	return re, len(prog.Inst)
}

// positive reports whether a number is above zero.
func positive(n json.Number) bool {
	return !strings.HasPrefix(n.String(), "-") && strings.ContainsAny(strings.SplitN(strings.ToLower(n.String()), "e", 2)[0], "123456789")
}
