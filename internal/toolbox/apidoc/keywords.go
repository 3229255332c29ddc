package apidoc

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp/syntax"
	"slices"
	"strconv"

	"github.com/pb33f/go-yaml"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
)

// keyword converts one keyword. What has no case has no effect on arguments, has no equal in
// draft-07, or can refuse what the API accepts: not, if and their like cannot be cut, so
// they are left to the API.
func (m *maker) keyword(s map[string]any, word string, v *node, path int) {
	switch word {
	case "type":
		typeOf(s, v)
	case "description":
		if note := foreign.Text(text(v), maxNote); note != "" {
			s[word] = note
		}
	case "format":
		if name := text(v); name != "" && len(name) <= maxProperty && !foreign.Hidden(name) {
			s[word] = name
		}
	case "enum", "const":
		constants(s, word, v)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		numberOf(s, word, v)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		countOf(s, word, v)
	case "pattern":
		m.pattern(s, v)
	case "uniqueItems", "writeOnly":
		if truth(v) {
			s[word] = true
		}
	case "required":
		m.required(s, v)
	case "items":
		if v != nil && v.Kind == yaml.MappingNode {
			s[word] = m.schema(v, path)
		}
	case "additionalProperties":
		m.additional(s, v, path)
	case "allOf", "anyOf", "oneOf":
		m.list(s, word, v, path)
	}
}

var types = map[string]bool{
	"object": true, "array": true, "string": true, "number": true, "integer": true, "boolean": true, "null": true,
}

// typeOf reads a type, or a list of types of version 3.1. Unknown ones are left out.
func typeOf(s map[string]any, v *node) {
	if t := text(v); types[t] {
		s["type"] = t
		return
	}
	var list []any
	for _, item := range items(v) {
		if t := text(item); types[t] && !slices.Contains(list, any(t)) {
			list = append(list, t)
		}
	}
	if len(list) == 1 {
		s["type"] = list[0]
	} else if len(list) > 1 {
		s["type"] = list
	}
}

func numberOf(s map[string]any, word string, v *node) {
	n, ok := number(v)
	if !ok {
		return
	}
	if f, err := strconv.ParseFloat(n.String(), 64); err != nil || word == "multipleOf" && f <= 0 {
		return
	}
	s[word] = n
}

func countOf(s map[string]any, word string, v *node) {
	n, ok := number(v)
	if !ok {
		return
	}
	if f, err := strconv.ParseFloat(n.String(), 64); err == nil && f >= 0 && f == math.Trunc(f) && f <= math.MaxInt32 {
		s[word] = json.Number(strconv.Itoa(int(f)))
	}
}

// constants reads enum and const. A long list is left out.
func constants(s map[string]any, word string, v *node) {
	budget := maxMembers
	read, ok := value(v, &budget)
	if list, isList := read.([]any); word == "enum" {
		var different []any
		seen := map[string]bool{}
		for _, item := range list {
			if key := equalText(item); !seen[key] {
				seen[key] = true
				different = append(different, item)
			}
		}
		if ok = ok && isList && len(different) > 0; ok {
			read = different
		}
	}
	if encoded, err := json.Marshal(read); !ok || err != nil || len(encoded) > maxConstants || foreign.Hidden(string(encoded)) {
		return
	}
	s[word] = read
}

// equalText returns the same text for values that JSON Schema takes as equal, such as 1
// and 1.0.
func equalText(v any) string {
	encoded, err := json.Marshal(plainNumbers(v))
	if err != nil {
		return fmt.Sprint(v) // it has no value that JSON lacks
	}
	return string(encoded)
}

func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64() // an infinite number equals others of its kind
		return strconv.FormatFloat(f+0, 'g', -1, 64) + "n"
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plainNumbers(item)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name, item := range v {
			object[name] = plainNumbers(item)
		}
		return object
	}
	return v
}

// maxInsts is the compiled size of all regular expressions of one operation.
const maxInsts = 8000

// pattern keeps an expression that Go can compile too.
func (m *maker) pattern(s map[string]any, v *node) {
	const longest = 500
	p := text(v)
	if p == "" || len(p) > longest || foreign.Hidden(p) {
		return
	}
	tree, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > m.insts {
		return
	}
	m.insts -= len(prog.Inst)
	s["pattern"] = p
}

// properties converts the properties of an object, and returns those that are only in
// answers, which it leaves out.
func (m *maker) properties(s map[string]any, v *node, path int) (absent map[string]bool) {
	if v == nil {
		return nil
	}
	props := map[string]any{}
	members(v, func(name string, p *node) bool {
		if !m.property(name) {
			return m.err == nil
		}
		if target, err := m.r.resolved(p); err == nil && truth(field(target, "readOnly")) {
			if absent == nil {
				absent = map[string]bool{}
			}
			absent[name] = true
			return true
		}
		props[name] = m.schema(p, path+len(name)+12)
		return m.err == nil && len(props) < maxMembers
	})
	s["properties"] = props
	return absent
}

func (m *maker) required(s map[string]any, v *node) {
	var names []any
	for _, item := range items(v) {
		if name := text(item); len(names) < maxMembers && m.property(name) && !slices.Contains(names, any(name)) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		s["required"] = names
	}
}

func (m *maker) list(s map[string]any, word string, v *node, path int) {
	var list []any
	for i, item := range items(v) {
		if i >= maxMembers {
			break
		}
		list = append(list, m.schema(item, path+4))
	}
	if len(list) > 0 {
		s[word] = list
	}
}

func (m *maker) additional(s map[string]any, v *node, path int) {
	switch {
	case v == nil:
	case v.Kind == yaml.MappingNode:
		s["additionalProperties"] = m.schema(v, path)
	case v.Tag == "!!bool":
		s["additionalProperties"] = truth(v)
	}
}
