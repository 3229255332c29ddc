package schema

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Schema is a compiled schema of a tool's arguments. It is safe for concurrent use.
type Schema struct {
	root    *rule
	library *library
	params  map[string]*param
	aliases map[string]*param
	fills   []*param // parameters with a default, by name
	open    bool     // unknown parameters are kept
	crossed bool     // the root has rules that relate parameters to one another
}

// param is a top-level parameter that has a name in the schema.
type param struct {
	name     string
	index    int
	dropNull bool   // declared, and null means "not given"
	key      []byte // the name as JSON
	fill     []byte // `"name":default` or nil
}

// Option changes how a schema is compiled.
type Option func(*options)

type options struct {
	free    []string
	aliases map[string]string
	unfit   func(name string)
}

// Unfit calls found for each parameter whose default does not fit, in place of refusing the
// schema. Such a default is not filled in.
func Unfit(found func(name string)) Option {
	return func(o *options) { o.unfit = found }
}

// Alias makes alias another name of a top-level parameter: [Schema.Prepare] replaces it by
// the parameter's own name. The schema itself does not contain it.
func Alias(alias, name string) Option {
	return func(o *options) {
		if o.aliases == nil {
			o.aliases = map[string]string{}
		}
		o.aliases[alias] = name
	}
}

// Free makes every value of a top-level parameter acceptable. It is meant for limits, which
// are clamped later. The parameter's default must still fit the schema, null still means
// "not given", and a required parameter stays required.
func Free(name string) Option {
	return func(o *options) { o.free = append(o.free, name) }
}

// Compile checks a schema (JSON, at most 256 KiB, root of type object) and prepares it for
// use. The error is an *[Invalid] that names every problem with its place in the document
// as a JSON pointer.
func Compile(raw []byte, opts ...Option) (s *Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, invalid("schema: could not be compiled: %s", clip(fmt.Sprint(p)))
		}
	}()
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	root, tree, problems := admit(raw)
	if problems == nil {
		s = &Schema{root: root}
		problems = s.build(tree, o)
	}
	if problems != nil {
		for i, p := range problems {
			problems[i] = "schema: " + p
		}
		return nil, invalidAll(problems)
	}
	return s, nil
}

// admit reads a document into rules, or returns the problems with it.
func admit(raw []byte) (*rule, map[string]any, []string) {
	if len(raw) > maxSchemaBytes {
		return nil, nil, []string{"larger than 256 KiB"}
	}
	if problem, _ := strict(raw); problem != "" {
		return nil, nil, []string{problem}
	}
	v, err := decode(raw)
	if err != nil {
		return nil, nil, []string{"not valid JSON"}
	}
	tree, ok := v.(map[string]any)
	if !ok {
		return nil, nil, []string{"expected an object, got " + show(v)}
	}
	c := &compiler{rules: map[string]*rule{}}
	root := c.schema(tree, "")
	if root.kinds != kindObject {
		c.fail("/type", "the root of a tool's parameters must have \"type\": \"object\"")
	}
	if c.problems == nil {
		c.resolve()
	}
	if c.problems != nil {
		return nil, nil, c.problems
	}
	meta, err := metaSchema()
	if err != nil {
		return nil, nil, []string{err.Error()}
	}
	return root, tree, validate(meta, tree)
}

// build finds the parameters and compiles the rules.
func (s *Schema) build(tree map[string]any, o options) []string {
	original := s.root
	if err := s.release(o.free); err != nil {
		return []string{err.Error()}
	}
	var err error
	if s.library, err = compileLibrary(s.root); err != nil {
		return []string{err.Error()}
	}
	s.crossed = !s.root.plain
	s.params = map[string]*param{}
	s.declare(s.root, map[*rule]bool{})
	alone := newAlone(original)
	var problems []string
	properties, _ := tree["properties"].(map[string]any)
	for i, name := range slices.Sorted(maps.Keys(s.params)) {
		p := s.params[name]
		p.index = i
		if _, declared := original.props[name]; !declared {
			continue
		}
		p.dropNull = !alone.nullable(name)
		note, _ := properties[name].(map[string]any)
		if value, ok := note["default"]; ok {
			unfit := alone.problems(name, value)
			if unfit != nil && o.unfit != nil {
				o.unfit(name)
				continue
			}
			for _, problem := range unfit {
				problems = append(problems, "the default does not fit: "+problem)
			}
			p.fill = append(append(encode(name), ':'), encode(value)...)
			s.fills = append(s.fills, p)
		}
	}
	return append(problems, s.alias(o.aliases)...)
}

// alias adds the other names of parameters.
func (s *Schema) alias(names map[string]string) (problems []string) {
	s.aliases = make(map[string]*param, len(names))
	for _, alias := range slices.Sorted(maps.Keys(names)) {
		p := s.params[names[alias]]
		switch {
		case s.params[alias] != nil:
			problems = append(problems, "the alias '"+clip(alias)+"' is the name of a parameter")
		case p == nil:
			problems = append(problems, "the alias '"+clip(alias)+"' is of '"+clip(names[alias])+"', which is no parameter")
		default:
			p.key = encode(p.name)
			s.aliases[alias] = p
		}
	}
	return problems
}

// release replaces the rules of free parameters by a rule that accepts everything.
func (s *Schema) release(free []string) error {
	if len(free) == 0 {
		return nil
	}
	root := *s.root
	root.props, root.kids = maps.Clone(root.props), slices.Clone(root.kids)
	for _, name := range free {
		p, ok := root.props[name]
		if !ok {
			return errors.New("there is no parameter '" + clip(name) + "' to be free")
		}
		p.rule = newRule(p.rule.at)
		p.rule.accepts = everything
		root.props[name] = p
		for i, k := range root.kids {
			if k.word == "properties" && k.name == name {
				root.kids[i].rule = p.rule
			}
		}
	}
	s.root = &root
	return nil
}

// declare collects the names that schemas of the whole object mention. A parameter with
// another name is unknown.
func (s *Schema) declare(r *rule, seen map[*rule]bool) {
	if seen[r] {
		return
	}
	seen[r] = true
	if r.to != nil {
		s.declare(r.to, seen)
		return
	}
	for name := range r.props {
		s.params[name] = &param{name: name}
	}
	if s.root.closed {
		return
	}
	s.open = s.open || r.opened || r.patterns != nil
	for _, name := range append(slices.Clone(r.required), r.linked...) {
		s.params[name] = &param{name: name}
	}
	for _, sub := range r.inPlace {
		s.declare(sub, seen)
	}
}
