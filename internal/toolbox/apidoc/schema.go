package apidoc

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pb33f/go-yaml"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
)

// Limits on schemas. Those of package schema are wider.
const (
	maxSchemas   = 1 << 19 // of all operations together
	maxPerCall   = 1500    // of one operation
	maxInline    = 20      // nesting
	maxPath      = 1500    // bytes of the names around a schema
	maxMembers   = 500     // of one object or list
	maxNote      = 1 << 10 // bytes of a description
	maxProperty  = 200     // bytes of a name
	maxConstants = 16 << 10
)

// maker makes the schemas of one operation in draft-07. What goes beyond a limit, or leads
// back to a schema around it, is cut: it accepts anything, and the API decides.
type maker struct {
	r     *reader
	left  int
	insts int     // of regular expressions
	above []*node // the schemas that are being made
	err   error   // the reason why the operation cannot be offered
}

func (r *reader) maker() *maker { return &maker{r: r, left: maxPerCall, insts: maxInsts} }

// schema converts a schema; path is the length of the names around it.
func (m *maker) schema(n *node, path int) map[string]any {
	m.left--
	m.r.left--
	if m.left < 0 || m.r.left < 0 || len(m.above) > maxInline || path > maxPath {
		return cut(n)
	}
	target, err := m.r.resolved(n)
	if err != nil {
		m.fail(err)
		return map[string]any{}
	}
	switch {
	case target == nil || target.Kind != yaml.MappingNode: // true, false or nonsense
		return map[string]any{}
	case slices.Contains(m.above, target):
		return cut(target)
	}
	m.above = append(m.above, target)
	s := m.object(target, path)
	m.above = m.above[:len(m.above)-1]
	if target != follow(n) {
		s = m.beside(s, n, path)
	}
	return s
}

// fail keeps the first error.
func (m *maker) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// cut returns what is left of a schema that is not shown.
func cut(n *node) map[string]any {
	s := map[string]any{"description": "Its fields are not shown here; see the documentation of the API."}
	if t := text(field(n, "type")); types[t] {
		s["type"] = t
	}
	return s
}

// beside adds what the document writes beside a reference: in version 3.0 only the
// description has an effect.
func (m *maker) beside(s map[string]any, n *node, path int) map[string]any {
	if note := m.note(n); note != "" {
		s = maps.Clone(s)
		s["description"] = note
	}
	if m.r.old {
		return s
	}
	rest := &node{Kind: yaml.MappingNode}
	members(n, func(name string, v *node) bool {
		if name != "$ref" && name != "description" && name != "summary" {
			rest.Content = append(rest.Content, &node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, v)
		}
		return true
	})
	if more := m.object(rest, path); len(more) > 0 {
		return map[string]any{"allOf": []any{s, more}}
	}
	return s
}

// note returns the description of a schema or parameter, cleaned.
func (m *maker) note(n *node) string { return foreign.Text(text(field(n, "description")), maxNote) }

// object converts the keywords of a schema.
func (m *maker) object(n *node, path int) map[string]any {
	s := map[string]any{}
	absent := m.properties(s, field(n, "properties"), path)
	members(n, func(word string, v *node) bool {
		m.keyword(s, word, v, path+len(word)+2)
		return m.err == nil
	})
	exclusive(s, n)
	if field(n, "prefixItems") != nil {
		delete(s, "items") // it is only for what follows these
	}
	if otherwise := text(field(n, "default")); otherwise != "" && len(otherwise) <= maxProperty {
		// A default that the schema names would be filled in, and so change what the caller
		// left alone.
		note, _ := s["description"].(string)
		s["description"] = foreign.Text(note+" Default: "+otherwise+".", maxNote+maxProperty)
	}
	if s["type"] == "string" && s["format"] == "password" {
		s["writeOnly"] = true // a person who is asked is not shown it
	}
	if m.r.old && truth(field(n, "nullable")) {
		s = orNull(s)
	}
	return compose(s, absent)
}

// exclusive converts the exclusive bounds of version 3.0, which are booleans.
func exclusive(s map[string]any, n *node) {
	for _, bound := range [][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		if v, has := s[bound[0]]; has && truth(field(n, bound[1])) {
			delete(s, bound[0])
			s[bound[1]] = v
		}
	}
}

// orNull lets a schema accept null too.
func orNull(s map[string]any) map[string]any {
	if list, ok := s["enum"].([]any); ok && !slices.Contains(list, nil) {
		s["enum"] = append(slices.Clip(list), nil)
	}
	switch t := s["type"].(type) {
	case string:
		s["type"] = []any{t, "null"}
	case nil:
		if s["allOf"] != nil || s["anyOf"] != nil {
			return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
		}
	}
	return s
}

// property checks the name of a property, which a model is shown.
func (m *maker) property(name string) bool {
	if foreign.Hidden(name[:min(len(name), maxProperty)]) {
		m.fail(fmt.Errorf("the name %s holds characters that cannot be seen", clip(name)))
	}
	return name != "" && len(name) <= maxProperty && m.err == nil
}
