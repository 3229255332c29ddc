package provider

import (
	"bytes"
	"slices"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

const (
	// maxNested is the maximum nesting of schemas that are processed. Models fail long
	// before.
	maxNested = 16

	// maxGathered bounds the number of schemas processed for one tool, since
	// references, allOf and the like multiply.
	maxGathered = 4000
)

// object is the merged description of an object by a schema, its references, allOf,
// anyOf and oneOf. No provider accepts those at the root of a tool's parameters ("must
// have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top
// level", OpenAI's API; "does not support oneOf, allOf, or anyOf at the top level",
// Anthropic's), so a model sees the parameters of all alternatives, and as required
// those required in each.
// required what is required in each.
type object struct {
	words      words // of the schema itself
	properties []property
	required   [][]byte       // names in quotes; some may not be properties
	index      map[string]int // index in properties by name, if there are many
}

type property struct {
	name     []byte // in quotes
	schema   []byte
	others   [][]byte // alternative schemas of its value
	branch   bool     // only alternatives declare it
	required bool
}

// document is the parameters of one tool, the target of references.
type document struct {
	root []byte
	left int // schemas that may still be processed
}

func newDocument(root []byte) document { return document{root, maxGathered} }

// object returns the merged description by a schema of the document.
func (d *document) object(schema []byte) object {
	w := wordsOf(schema)
	return d.said(&w)
}

// said is object for a parsed schema.
func (d *document) said(w *words) object {
	o := object{words: *w, properties: make([]property, 0, 8), required: make([][]byte, 0, 8)}
	d.complete(&o)
	return o
}

// complete adds the object's own keywords and those of all schemas they refer to.
func (d *document) complete(o *object) {
	o.gather(d, &o.words, 0)
	for _, name := range o.required {
		if i := o.find(name); i >= 0 {
			o.properties[i].required = true
		}
	}
}

func (o *object) gather(d *document, w *words, nested int) {
	if d.left--; d.left < 0 || nested > maxNested {
		return
	}
	if w.ref != nil {
		target := wordsOf(d.lookup(w.ref))
		o.gather(d, &target, nested+1)
	}
	for name, schema := range jsonwalk.EachMember(w.properties) {
		o.declare(property{name: name, schema: schema})
	}
	for _, name := range jsonwalk.EachItem(w.required) {
		o.required = append(o.required, name)
	}
	for _, part := range jsonwalk.EachItem(w.allOf) {
		w := wordsOf(part)
		o.gather(d, &w, nested+1)
	}
	o.choose(d, w.anyOf, nested)
	o.choose(d, w.oneOf, nested)
}

// declare adds a property. The schema's own declaration takes precedence; declarations
// of several alternatives are combined.
func (o *object) declare(p property) {
	i := o.find(p.name)
	if i < 0 {
		if o.index != nil {
			o.index[string(key(p.name))] = len(o.properties)
		}
		o.properties = append(o.properties, p)
		return
	}
	known := &o.properties[i]
	if !known.branch {
		return
	}
	for _, schema := range append([][]byte{p.schema}, p.others...) {
		same := func(s []byte) bool { return bytes.Equal(s, schema) }
		if !same(known.schema) && !slices.ContainsFunc(known.others, same) {
			known.others = append(slices.Clip(known.others), schema)
		}
	}
}

// find returns the index of the property with that name, or -1.
func (o *object) find(name []byte) int {
	const few = 32
	if len(o.properties) <= few {
		return slices.IndexFunc(o.properties, func(p property) bool { return bytes.Equal(key(p.name), key(name)) })
	}
	if o.index == nil {
		o.index = make(map[string]int, 4*few)
		for i, p := range o.properties {
			o.index[string(key(p.name))] = i
		}
	}
	if i, ok := o.index[string(key(name))]; ok {
		return i
	}
	return -1
}

// choose adds alternatives; what all of them require is required.
func (o *object) choose(d *document, branches []byte, nested int) {
	if kind(branches) != '[' {
		return
	}
	demanded := map[string]int{} // number of alternatives by name
	n := 0
	for _, branch := range jsonwalk.EachItem(branches) {
		n++
		w := wordsOf(branch)
		var other object
		other.gather(d, &w, nested+1)
		for _, p := range other.properties {
			p.branch = true
			o.declare(p)
		}
		own := map[string]bool{}
		for _, name := range other.required {
			if text := string(name); !own[text] {
				own[text] = true
				demanded[text]++
			}
		}
	}
	for name, by := range demanded {
		if by == n {
			o.required = append(o.required, []byte(name))
		}
	}
}

// whole returns the schema of the property, with alternatives merged.
func (p *property) whole() []byte {
	if p.others == nil {
		return p.schema
	}
	return anyOf(append([][]byte{p.schema}, p.others...))
}

// anyOf returns a schema that accepts what any of schemas accepts.
func anyOf(schemas [][]byte) []byte {
	w := append([]byte(`{"anyOf":[`), bytes.Join(schemas, []byte(","))...)
	return append(w, "]}"...)
}

// hide removes the properties whose names a provider refuses, and returns a sentence
// for the description instead: a model that has read of a parameter can still send it.
func (o *object) hide(allowed func(name []byte) bool) []byte {
	var note []byte
	o.properties = slices.DeleteFunc(o.properties, func(p property) bool {
		if allowed(key(p.name)) {
			return false
		}
		note = append(append(note, " Also takes "...), p.name...)
		if p.required {
			note = append(note, ", which is required"...)
		}
		note = append(append(append(note, ": "...), p.whole()...), '.')
		return true
	})
	return note
}

// demand appends the required properties, nothing if there are none. A name that is not
// a property is left out, since Gemini refuses it ("property is not defined").
func (o *object) demand(w []byte) []byte {
	start := len(w)
	for _, p := range o.properties {
		if !p.required {
			continue
		}
		if len(w) == start {
			w = append(w, `,"required":[`...)
		} else {
			w = append(w, ',')
		}
		w = append(w, p.name...)
	}
	if len(w) > start {
		w = append(w, ']')
	}
	return w
}
