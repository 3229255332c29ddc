package schema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

const (
	maxSchemaBytes = 256 << 10
	maxSchemas     = 5000   // schemas within one document
	maxEntries     = 1000   // members of one object or list in a schema
	maxName        = 256    // bytes of one name in a schema
	maxPointer     = 2000   // bytes of the JSON pointer to a schema
	maxPattern     = 1024   // bytes of one regular expression
	maxInsts       = 20_000 // compiled size of all expressions together
)

// compiler reads a document into rules and collects the problems with it.
type compiler struct {
	rules    map[string]*rule // by JSON pointer
	insts    int
	problems []string
	halted   bool
}

// fail records a problem at a place in the document.
func (c *compiler) fail(at, format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...)+" at #"+clipEnd(at))
	c.halted = c.halted || len(c.problems) > maxProblems
}

// schema reads the schema v and everything below it. It never returns nil.
func (c *compiler) schema(v any, at string) *rule {
	r := newRule(at)
	if c.halted {
		return r
	}
	c.rules[at] = r
	if len(c.rules) > maxSchemas || len(at) > maxPointer {
		c.fail(at, "more than %d schemas in one document, or nested too deep", maxSchemas)
		c.halted = true
		return r
	}
	switch v := v.(type) {
	case bool:
		r.accepts = nothing
		if v {
			r.accepts = everything
		}
	case map[string]any:
		c.members(r, v)
	default:
		c.fail(at, "expected a schema (an object, true or false), got %s", show(v))
	}
	return r
}

// members reads the keywords of a schema in a fixed order.
func (c *compiler) members(r *rule, m map[string]any) {
	c.fits(len(m), r.at)
	_, refers := m["$ref"]
	if t, ok := m["type"]; ok {
		c.leaf(r, "type", typeNames, t) // first, because format depends on it
	}
	for _, word := range slices.Sorted(maps.Keys(m)) {
		s, known := keywords[word]
		switch {
		case !known:
			c.fail(r.at, "unknown keyword %q", clip(word))
		case word == "type":
		case c.holder(r, word, s, m[word]):
		default:
			c.leaf(r, word, s, m[word])
		}
		if refers && known && s != note && s != reference && word != "$defs" && word != "definitions" {
			c.fail(r.at, "%q beside $ref has no effect in draft-07; put both into allOf", word)
		}
		r.plain = r.plain && (s == note || plainWords[word])
	}
	for name, p := range r.props {
		p.required = slices.Contains(r.required, name)
		r.props[name] = p
	}
}

// holder reads a keyword that holds schemas. It reports whether the keyword needs no more
// checks: it held schemas, or is too long to be read.
func (c *compiler) holder(r *rule, word string, s shape, v any) bool {
	at := pointer(r.at, word)
	list, isList := v.([]any)
	switch {
	case s == aSchema || s == itemsShape && !isList:
		r.adopt(word, "", c.schema(v, at))
	case s == schemaList || s == itemsShape:
		if !isList || len(list) == 0 {
			c.fail(at, "expected a list of at least one schema, got %s", show(v))
		}
		if c.fits(len(list), at) {
			for i, item := range list {
				r.adopt(word, strconv.Itoa(i), c.schema(item, pointer(at, strconv.Itoa(i))))
			}
		}
	case s == schemaMap || s == dependencies:
		m, ok := v.(map[string]any)
		if !ok {
			c.fail(at, "expected an object, got %s", show(v))
		}
		if c.fits(len(m), at) {
			c.named(r, word, m, at)
		}
	default:
		return s != note && isList && !c.fits(len(list), at)
	}
	return true
}

// named reads the members of properties, dependencies and their like.
func (c *compiler) named(r *rule, word string, m map[string]any, at string) {
	lists := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		at := pointer(at, name)
		if len(name) > maxName {
			c.fail(at, "a name is longer than %d bytes", maxName)
			continue
		}
		if word == "dependencies" {
			r.linked = append(r.linked, name)
			if list, ok := m[name].([]any); ok {
				if c.fits(len(list), at) {
					r.linked = append(r.linked, c.names(list, at)...)
					lists[name] = list
				}
				continue
			}
		}
		sub := c.schema(m[name], at)
		if word == "patternProperties" {
			p := pattern{rule: sub}
			p.match, p.insts = c.expression(name, at)
			r.patterns = append(r.patterns, p)
		}
		r.adopt(word, name, sub)
	}
	if word != "definitions" && word != "$defs" {
		r.words[word] = lists
	}
}

// fits bounds the members of one object or list.
func (c *compiler) fits(n int, at string) bool {
	if n > maxEntries {
		c.fail(at, "more than %d entries", maxEntries)
		c.halted = true
		return false
	}
	return true
}

// adopt stores a schema in the field for the keyword that holds it.
func (r *rule) adopt(word, name string, sub *rule) {
	r.kids = append(r.kids, kid{word, name, sub})
	switch word {
	case "properties":
		if r.props == nil {
			r.props = map[string]prop{}
		}
		r.props[name] = prop{rule: sub}
	case "additionalProperties":
		r.closed, r.opened = sub.accepts == nothing, sub.accepts != nothing
		r.extra = sub
	case "propertyNames":
		r.names = sub
	case "contains":
		r.contains = sub
	case "additionalItems":
		r.rest = sub
	case "items":
		if name == "" {
			r.items = sub
			break
		}
		r.tuple, r.plain = append(r.tuple, sub), false
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependencies":
		r.inPlace = append(r.inPlace, sub)
	}
}

// pointer appends a name to a JSON pointer.
func pointer(at, name string) string {
	return at + "/" + escapeName.Replace(name)
}

var escapeName = strings.NewReplacer("~", "~0", "/", "~1")

// clipEnd keeps the end of a long JSON pointer, which is where the problem is.
func clipEnd(at string) string {
	const longest = 200
	if len(at) <= longest {
		return at
	}
	return textcut.Mark + textcut.Tail(at, longest)
}

// show describes a value in a message: short scalars as they are, others by type.
func show(v any) string {
	switch v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	}
	return clip(string(encode(v)))
}
