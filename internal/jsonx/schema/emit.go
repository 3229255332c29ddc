package schema

import (
	"maps"
	"strconv"
)

// emitter writes rules as a document for the library. The document differs from the
// original: annotations are gone, sizes are whole numbers, formats are kept only where they
// are safe, and every referenced schema is in definitions once, under a number, so that no
// reference needs decoding.
type emitter struct {
	definitions map[string]any
	waiting     []*rule
}

// document returns a document that accepts what the rule accepts.
func document(top *rule) any {
	e := &emitter{definitions: map[string]any{}}
	body, isObject := e.body(top).(map[string]any)
	if !isObject {
		return top.accepts == everything
	}
	for len(e.waiting) > 0 {
		r := e.waiting[0]
		e.waiting = e.waiting[1:]
		e.definitions[strconv.Itoa(r.shared)] = e.body(r)
	}
	if len(e.definitions) > 0 {
		body["definitions"] = e.definitions
	}
	return body
}

// inline writes a rule in the place where a keyword holds it.
func (e *emitter) inline(r *rule) any {
	if r.shared == 0 {
		return e.body(r)
	}
	key := strconv.Itoa(r.shared)
	if _, done := e.definitions[key]; !done {
		e.definitions[key] = nil
		e.waiting = append(e.waiting, r)
	}
	return map[string]any{"$ref": "#/definitions/" + key}
}

// body writes the rule itself.
func (e *emitter) body(r *rule) any {
	if r.accepts != depends {
		return r.accepts == everything
	}
	if r.to != nil {
		return e.inline(r.to)
	}
	m := make(map[string]any, len(r.words)+len(r.kids))
	for word, v := range r.words {
		if named, ok := v.(map[string]any); ok {
			v = maps.Clone(named)
		}
		m[word] = v
	}
	for _, k := range r.kids {
		switch s := keywords[k.word]; {
		case k.word == "definitions" || k.word == "$defs":
		case s == schemaMap || s == dependencies:
			if kids, ok := m[k.word].(map[string]any); ok {
				kids[k.name] = e.inline(k.rule)
			}
		case k.name != "":
			list, _ := m[k.word].([]any)
			m[k.word] = append(list, e.inline(k.rule))
		default:
			m[k.word] = e.inline(k.rule)
		}
	}
	return m
}
