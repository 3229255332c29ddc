package provider

import (
	"bytes"
	"slices"
)

const (
	// maxNested is how many schemas may stand around one that is still looked at.
	// Models lose their way long before.
	maxNested = 16

	// maxGathered is how many schemas are looked at for one tool where references,
	// allOf and the like multiply.
	maxGathered = 4000
)

// object is what a schema says of an object in all, also in what it refers to and in
// its allOf, anyOf and oneOf. No provider takes those at the root of a tool's
// parameters ("must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not'
// at the top level" says OpenAI's API, "does not support oneOf, allOf, or anyOf at the
// top level" Anthropic's), so a model is shown the parameters of them all, and as
// required what is required in each.
type object struct {
	words      words // of the schema itself
	properties []property
	required   [][]byte       // names in their quotes, of which some may be no properties
	index      map[string]int // where in properties a name is, where there are many
}

type property struct {
	name     []byte // in its quotes
	schema   []byte
	others   [][]byte // schemas that a value may fit in its place
	branch   bool     // it is known from alternatives only
	required bool
}

// document is the parameters of one tool, which references point into.
type document struct {
	root []byte
	left int // how many schemas may still be looked at
}

func newDocument(root []byte) document { return document{root, maxGathered} }

// object gathers what a schema of the document says.
func (d *document) object(schema []byte) object {
	w := wordsOf(schema)
	return d.said(&w)
}

// said is object for a schema whose words were read.
func (d *document) said(w *words) object {
	o := object{words: *w, properties: make([]property, 0, 8), required: make([][]byte, 0, 8)}
	d.complete(&o)
	return o
}

// complete gathers what the object's own words and all they lead to say.
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
	for name, schema := range members(w.properties) {
		o.declare(property{name: name, schema: schema})
	}
	for _, name := range elements(w.required) {
		o.required = append(o.required, name)
	}
	for _, part := range elements(w.allOf) {
		w := wordsOf(part)
		o.gather(d, &w, nested+1)
	}
	o.choose(d, w.anyOf, nested)
	o.choose(d, w.oneOf, nested)
}

// declare takes a property. What the schema says itself comes first, and stays; what
// several alternatives say is all true of some value.
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

// find returns where the property of that name is, -1 if there is none.
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

// choose takes alternatives, of which what all require is required.
func (o *object) choose(d *document, branches []byte, nested int) {
	if kind(branches) != '[' {
		return
	}
	demanded := map[string]int{} // by how many
	n := 0
	for _, branch := range elements(branches) {
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

// whole is the schema of the property, all in one.
func (p *property) whole() []byte {
	if p.others == nil {
		return p.schema
	}
	return anyOf(append([][]byte{p.schema}, p.others...))
}

// anyOf writes a schema that fits what one of several fits.
func anyOf(schemas [][]byte) []byte {
	w := append([]byte(`{"anyOf":[`), bytes.Join(schemas, []byte(","))...)
	return append(w, "]}"...)
}

// hide takes out the properties whose names a provider refuses, and returns a sentence
// for the description instead: a model that has read of one can still send it.
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

// demand appends which properties are required, nothing where none is. A name that is
// no property is left out, since Gemini refuses it ("property is not defined").
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
