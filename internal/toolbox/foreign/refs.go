package foreign

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// anchors returns the pointers of the schemas of a document that have a name of their own.
func anchors(object map[string]any) map[string]string {
	found := map[string]string{}
	left := maxSchemas
	var look func(v any, at string, deep int)
	look = func(v any, at string, deep int) {
		if left--; left < 0 || deep > 2*maxDeep {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			name, ok := v["$anchor"].(string)
			if id, has := v["$id"].(string); has && !ok {
				name, ok = strings.CutPrefix(id, "#") // draft-07
			}
			if _, known := found[name]; ok && !known {
				found[name] = at
			}
			for _, word := range slices.Sorted(maps.Keys(v)) {
				look(v[word], at+"/"+escape.Replace(word), deep+1)
			}
		case []any:
			for i, item := range v {
				look(item, at+"/"+strconv.Itoa(i), deep+1)
			}
		}
	}
	look(object, "", 0)
	return found
}

// resolve returns a reference within the document, or why there is none.
func (t *translator) resolve(v any) (ref, why string) {
	ref, _ = v.(string)
	if t.base != "" {
		if rest, own := strings.CutPrefix(ref, strings.TrimSuffix(t.base, "#")); own && (rest == "" || rest[0] == '#') {
			ref = "#" + strings.TrimPrefix(rest, "#")
		}
	}
	name, inside := strings.CutPrefix(ref, "#")
	switch {
	case !inside || Hidden(ref):
		return "", "only references inside the document are followed"
	case name == "" || name[0] == '/':
		return ref, ""
	}
	at, known := t.anchors[name]
	if !known {
		return "", "it leads to nothing"
	}
	return "#" + (&url.URL{Path: at}).EscapedPath(), ""
}

// badReferences returns, for the translated document, which references lead to no schema or
// back to the same schema without looking deeper into the value.
func (t *translator) badReferences() map[string]string {
	w := &walk{t: t, at: map[string]map[string]any{}, state: map[string]int{}, bad: map[string]string{}}
	w.collect(t.out, "", 0)
	for _, at := range slices.Sorted(maps.Keys(w.at)) {
		w.visit(at, 0)
	}
	return w.bad
}

// walk looks through a translated document.
type walk struct {
	t     *translator
	at    map[string]map[string]any // schemas by pointer
	state map[string]int            // 1 while a schema is visited, 2 afterwards
	bad   map[string]string
}

// inPlace are the keywords whose schemas look at the same value.
var inPlace = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependencies"}

func (w *walk) collect(v any, at string, deep int) {
	switch v := v.(type) {
	case map[string]any:
		w.at[at] = v
		for word, member := range v {
			if !annotation[word] || word == "$defs" || word == "definitions" {
				w.collect(member, at+"/"+escape.Replace(word), deep+1)
			}
		}
	case []any:
		for i, item := range v {
			w.collect(item, at+"/"+strconv.Itoa(i), deep+1)
		}
	}
}

// maxChain bounds the schemas that look at one value; package schema allows more.
const maxChain = 80

// visit follows what looks at the same value.
func (w *walk) visit(at string, chain int) {
	if w.state[at] != 0 {
		return
	}
	w.state[at] = 1
	defer func() { w.state[at] = 2 }()
	s := w.at[at]
	if ref, ok := s["$ref"].(string); ok {
		target, err := url.PathUnescape(ref[1:])
		_, found := w.at[target]
		switch holder := w.t.refs[at]; {
		case err != nil || !found || !schemaPlace(target):
			w.bad[holder] = "it leads to nothing"
		case w.state[target] == 1 || chain > maxChain:
			w.bad[holder] = "references lead back to the same schema, or through too many"
		default:
			w.visit(target, chain+1)
		}
		return
	}
	for _, word := range inPlace {
		switch v := s[word].(type) {
		case []any:
			for i := range v {
				w.visit(at+"/"+word+"/"+strconv.Itoa(i), chain+1)
			}
		case map[string]any:
			if word != "dependencies" {
				w.visit(at+"/"+word, chain+1)
				continue
			}
			for name := range v {
				w.visit(at+"/"+word+"/"+escape.Replace(name), chain+1)
			}
		}
	}
}

// schemaPlace reports whether a pointer may lead to a schema, not to a map of schemas.
func schemaPlace(at string) bool {
	if at == "" {
		return true
	}
	tokens := strings.Split(at[1:], "/")
	for i := 0; i < len(tokens); i++ {
		switch tokens[i] {
		case "properties", "patternProperties", "$defs", "definitions", "dependencies", "allOf", "anyOf", "oneOf":
			i++ // a name or a number
			if i == len(tokens) {
				return false
			}
		case "items":
			if i+1 < len(tokens) {
				if _, err := strconv.Atoi(tokens[i+1]); err == nil {
					i++
				}
			}
		case "additionalProperties", "propertyNames", "contains", "additionalItems", "not", "if", "then", "else":
		default:
			return false
		}
	}
	return true
}
