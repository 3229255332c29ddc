package preview

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

const (
	maxSteps    = 2_000_000 // schemas visited for one preview
	maxTogether = 10_000    // schemas visited for one value
)

// marks finds the schemas that apply to a value, and whether one of them marks it. It errs
// towards hiding: a mark in any branch counts, taken or not, and a reference that cannot be
// followed counts as a mark. A nil *marks marks nothing.
type marks struct {
	document any
	patterns map[string]*regexp.Regexp // of patternProperties; nil matches everything
	left     int
}

// marksOf reads a schema. Most schemas have no mark and need not be read.
func marksOf(schema json.RawMessage) (*marks, error) {
	marks := &marks{patterns: map[string]*regexp.Regexp{}, left: maxSteps}
	switch {
	case len(schema) == 0:
		return nil, nil
	case !bytes.Contains(schema, []byte("writeOnly")) && !bytes.Contains(schema, []byte("password")) && !bytes.Contains(schema, []byte(`\u`)):
		return nil, nil
	}
	return marks, jsonv2.Unmarshal(schema, &marks.document)
}

// top returns the schemas of the arguments object.
func (m *marks) top() []any {
	if m == nil {
		return nil
	}
	return []any{m.document}
}

// spent reports whether the schemas exceeded the bounds.
func (m *marks) spent() bool { return m != nil && m.left < 0 }

// apply follows references and combinations to every schema that applies to the same value,
// and reports whether one of them marks it.
func (m *marks) apply(schemas []any) (rules []map[string]any, secret bool) {
	for i := 0; i < len(schemas); i++ {
		if m.left--; m.left < 0 || len(schemas) > maxTogether {
			return nil, true
		}
		rule, ok := schemas[i].(map[string]any)
		if !ok {
			continue
		}
		if mark, ok := rule["writeOnly"]; ok && mark != false || rule["format"] == "password" {
			return nil, true
		}
		rules = append(rules, rule)
		if ref, ok := rule["$ref"].(string); ok {
			schemas = append(schemas, m.resolve(ref))
		}
		for _, word := range []string{"allOf", "anyOf", "oneOf"} {
			list, _ := rule[word].([]any)
			schemas = append(schemas, list...)
		}
		for _, word := range []string{"not", "if", "then", "else"} {
			if sub, ok := rule[word]; ok {
				schemas = append(schemas, sub)
			}
		}
		dependencies, _ := rule["dependencies"].(map[string]any)
		for _, sub := range dependencies {
			schemas = append(schemas, sub)
		}
	}
	return rules, false
}

// member returns the schemas of a member of an object, from the rules of the object.
func (m *marks) member(rules []map[string]any, name string) (schemas []any) {
	for _, rule := range rules {
		properties, _ := rule["properties"].(map[string]any)
		sub, known := properties[name]
		if known {
			schemas = append(schemas, sub)
		}
		patterns, _ := rule["patternProperties"].(map[string]any)
		for pattern, sub := range patterns {
			if m.match(pattern, name) {
				schemas, known = append(schemas, sub), true
			}
		}
		if rest, ok := rule["additionalProperties"]; ok && !known {
			schemas = append(schemas, rest)
		}
	}
	return schemas
}

// item returns the schemas of an item of an array, from the rules of the array.
func (m *marks) item(rules []map[string]any, i int) (schemas []any) {
	for _, rule := range rules {
		items, ok := rule["items"]
		switch tuple, isTuple := items.([]any); {
		case isTuple && i < len(tuple):
			schemas = append(schemas, tuple[i])
		case isTuple:
			schemas = append(schemas, rule["additionalItems"])
		case ok:
			schemas = append(schemas, items)
		}
		if sub, ok := rule["contains"]; ok {
			schemas = append(schemas, sub)
		}
	}
	return schemas
}

func (m *marks) match(pattern, name string) bool {
	re, known := m.patterns[pattern]
	if !known {
		re, _ = regexp.Compile(pattern)
		m.patterns[pattern] = re
	}
	m.left--
	return re == nil || re.MatchString(name)
}

// resolve returns the target of a reference within the document. A broken reference is a
// mark.
func (m *marks) resolve(ref string) any {
	at, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	if err != nil || !strings.HasPrefix(ref, "#") {
		return map[string]any{"writeOnly": true}
	}
	to := m.document
	for i, step := range strings.Split(at, "/") {
		if i == 0 && step == "" {
			continue
		}
		var found bool
		switch within := to.(type) {
		case map[string]any:
			to, found = within[unescapeStep.Replace(step)]
		case []any:
			n, err := strconv.Atoi(step)
			if found = err == nil && n >= 0 && n < len(within); found {
				to = within[n]
			}
		}
		if !found {
			return map[string]any{"writeOnly": true}
		}
	}
	return to
}

var unescapeStep = strings.NewReplacer("~1", "/", "~0", "~")
