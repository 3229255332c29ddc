package schema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	maxSchemaBytes = 256 << 10
	maxSchemas     = 5000   // schemas within one document
	maxEntries     = 1000   // members of one object or list in a schema
	maxName        = 256    // bytes of one name in a schema
	maxPointer     = 2000   // bytes of the JSON pointer to a schema
	maxPattern     = 1024   // bytes of one regular expression
	maxInsts       = 20_000 // compiled size of all of them together
)

// gate reads a document into rules and collects what is wrong with it.
type gate struct {
	rules    map[string]*rule // by JSON pointer
	insts    int
	problems []string
	halted   bool
}

// fail notes a problem at a place in the document.
func (g *gate) fail(at, format string, args ...any) {
	g.problems = append(g.problems, fmt.Sprintf(format, args...)+" at #"+clipEnd(at))
	g.halted = g.halted || len(g.problems) > maxProblems
}

// schema reads the schema v and everything below it. It never returns nil.
func (g *gate) schema(v any, at string) *rule {
	r := newRule(at)
	if g.halted {
		return r
	}
	g.rules[at] = r
	if len(g.rules) > maxSchemas || len(at) > maxPointer {
		g.fail(at, "more than %d schemas in one document, or nested too deep", maxSchemas)
		g.halted = true
		return r
	}
	switch v := v.(type) {
	case bool:
		r.accepts = nothing
		if v {
			r.accepts = everything
		}
	case map[string]any:
		g.members(r, v)
	default:
		g.fail(at, "expected a schema (an object, true or false), got %s", show(v))
	}
	return r
}

// members reads the keywords of a schema in a fixed order.
func (g *gate) members(r *rule, m map[string]any) {
	g.fits(len(m), r.at)
	_, refers := m["$ref"]
	if t, ok := m["type"]; ok {
		g.leaf(r, "type", typeNames, t) // first, because format depends on it
	}
	for _, word := range slices.Sorted(maps.Keys(m)) {
		s, known := keywords[word]
		switch {
		case !known:
			g.fail(r.at, "unknown keyword %q", clip(word))
		case word == "type":
		case g.holder(r, word, s, m[word]):
		default:
			g.leaf(r, word, s, m[word])
		}
		if refers && known && s != note && s != reference && word != "$defs" && word != "definitions" {
			g.fail(r.at, "%q beside $ref has no effect in draft-07; put both into allOf", word)
		}
		r.plain = r.plain && (s == note || plainWords[word])
	}
	for name, p := range r.props {
		p.required = slices.Contains(r.required, name)
		r.props[name] = p
	}
}

// holder reads a keyword that holds schemas. It says whether that settles the
// keyword: it held schemas, or is too long to be read.
func (g *gate) holder(r *rule, word string, s shape, v any) bool {
	at := pointer(r.at, word)
	list, isList := v.([]any)
	switch {
	case s == aSchema || s == itemsShape && !isList:
		r.adopt(word, "", g.schema(v, at))
	case s == schemaList || s == itemsShape:
		if !isList || len(list) == 0 {
			g.fail(at, "expected a list of at least one schema, got %s", show(v))
		}
		if g.fits(len(list), at) {
			for i, item := range list {
				r.adopt(word, strconv.Itoa(i), g.schema(item, pointer(at, strconv.Itoa(i))))
			}
		}
	case s == schemaMap || s == dependencies:
		m, ok := v.(map[string]any)
		if !ok {
			g.fail(at, "expected an object, got %s", show(v))
		}
		if g.fits(len(m), at) {
			g.named(r, word, m, at)
		}
	default:
		return s != note && isList && !g.fits(len(list), at)
	}
	return true
}

// named reads the members of properties, dependencies and their like.
func (g *gate) named(r *rule, word string, m map[string]any, at string) {
	lists := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		at := pointer(at, name)
		if len(name) > maxName {
			g.fail(at, "a name is longer than %d bytes", maxName)
			continue
		}
		if word == "dependencies" {
			r.linked = append(r.linked, name)
			if list, ok := m[name].([]any); ok {
				if g.fits(len(list), at) {
					r.linked = append(r.linked, g.names(list, at)...)
					lists[name] = list
				}
				continue
			}
		}
		sub := g.schema(m[name], at)
		if word == "patternProperties" {
			p := pattern{rule: sub}
			p.match, p.insts = g.expression(name, at)
			r.patterns = append(r.patterns, p)
		}
		r.adopt(word, name, sub)
	}
	if word != "definitions" && word != "$defs" {
		r.words[word] = lists
	}
}

// fits bounds the members of one object or list.
func (g *gate) fits(n int, at string) bool {
	if n > maxEntries {
		g.fail(at, "more than %d entries", maxEntries)
		g.halted = true
		return false
	}
	return true
}

// adopt puts a schema into the role its keyword gives it.
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
	return "…" + strings.ToValidUTF8(at[len(at)-longest:], "")
}

// show describes a value in a message: short scalars as they are, the rest by
// type.
func show(v any) string {
	switch v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	}
	return clip(string(encode(v)))
}
