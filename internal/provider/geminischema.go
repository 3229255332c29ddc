package provider

import (
	"bytes"
	"slices"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// maxWritten bounds the growth of a tool's schema in bytes when references multiply;
// beyond it the schema is cut short.
const maxWritten = 64 << 10

// geminiSchema writes schemas in Gemini's form: a subset of OpenAPI's, with the fields
// of genai.Schema in the SDK and of Schema in the API's reference
// (ai.google.dev/api/caching#Schema). Missing features are resolved (references, allOf,
// const), expressed differently (oneOf, null, lists of types), put into the description
// (enum values that are not strings) or left out.
type geminiSchema struct {
	document
	open  [][]byte // the references that led here
	limit int      // of the text, behind which schemas are cut short
}

// newGeminiSchema returns a writer for parameters that follow behind bytes of text.
func newGeminiSchema(parameters []byte, behind int) *geminiSchema {
	return &geminiSchema{document: newDocument(parameters), limit: behind + 2*len(parameters) + maxWritten}
}

// extra is information from around a schema that is written with it.
type extra struct {
	description []byte // in its quotes
	nullable    bool
}

// cutShort replaces a schema beyond the limits.
const cutShort = `{"type":"OBJECT"}`

// schema appends one schema.
func (g *geminiSchema) schema(w, schema []byte, x extra) []byte {
	open := len(g.open)
	defer func() { g.open = g.open[:open] }()
	var s words
	if !g.resolve(&s, schema, open) || len(w) > g.limit {
		return append(w, cutShort...)
	}
	if len(g.open) == open && s.allOf == nil {
		schema = nil // everything in it was read into s
	}
	types, null := typesOf(&s)
	x.nullable = x.nullable || null
	switch {
	case len(types) == 1:
		return g.typed(w, types[0], schema, &s, x)
	case len(types) == 0 && kind(s.alternatives()) == '[':
		return g.branches(w, s.alternatives(), s.description, x)
	}
	return g.types(w, types, schema, s, x)
}

// branches appends the alternatives of anyOf or oneOf.
func (g *geminiSchema) branches(w, alternatives, description []byte, x extra) []byte {
	list := withoutNull(alternatives, &x)
	return g.oneOf(w, len(list), description, x, func(w []byte, i int, x extra) []byte {
		return g.schema(w, list[i], x)
	})
}

// types appends one alternative for each type, or for every possible type if none is
// named.
func (g *geminiSchema) types(w []byte, types []string, schema []byte, s words, x extra) []byte {
	if len(types) == 0 {
		types = typeNames[:5]
		s.items = []byte(`{"type":"string"}`) // otherwise it would recurse for ever
	}
	description := s.description
	s.description, s.def = nil, nil // the description applies to all, the default to only one
	return g.oneOf(w, len(types), description, x, func(w []byte, i int, x extra) []byte {
		return g.typed(w, types[i], schema, &s, x)
	})
}

// withoutNull returns the alternatives other than null.
func withoutNull(alternatives []byte, x *extra) [][]byte {
	var branches [][]byte
	for _, branch := range jsonwalk.EachItem(alternatives) {
		if string(key(wordsOf(branch).typ)) == "null" {
			x.nullable = true
			continue
		}
		branches = append(branches, branch)
	}
	return branches
}

// oneOf appends n alternatives. Vertex allows no field next to anyOf, so the first
// alternative has the common fields.
func (g *geminiSchema) oneOf(w []byte, n int, description []byte, x extra, branch func(w []byte, i int, x extra) []byte) []byte {
	x.description = joined(x.description, description)
	switch n {
	case 0: // only null
		return g.typed(w, "string", nil, &words{}, x)
	case 1:
		return branch(w, 0, x)
	}
	w = append(w, `{"anyOf":[`...)
	for i := range n {
		if i > 0 {
			w = append(w, ',')
			x = extra{}
		}
		w = branch(w, i, x)
	}
	return append(w, "]}"...)
}

// resolve merges a schema into s, with its references and all of its allOf. The
// references from base on are its own; it fails for a reference that is already open
// further out, because that would not end.
func (g *geminiSchema) resolve(s *words, schema []byte, base int) bool {
	s.read(schema)
	for s.ref != nil {
		switch i := slices.IndexFunc(g.open, func(ref []byte) bool { return bytes.Equal(ref, s.ref) }); {
		case i >= base:
			*s = words{}
			return true
		case i >= 0:
			return false
		}
		g.open = append(g.open, s.ref)
		target := wordsOf(g.lookup(s.ref))
		if s.description != nil {
			target.description = s.description
		}
		*s = target
	}
	for _, part := range jsonwalk.EachItem(s.allOf) {
		var other words
		if !g.resolve(&other, part, base) {
			return false
		}
		s.fill(&other)
	}
	return true
}

// joined returns two descriptions as one.
func joined(a, b []byte) []byte {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	first, _ := textOf(a)
	second, _ := textOf(b)
	return quote(nil, first+" "+second)
}
