package foreign

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// member translates the keywords of one schema.
type member struct {
	*translator

	in, out map[string]any
	at      string
	deep    int
	loose   bool
}

func (s *member) translate() {
	s.annotations()
	for _, word := range slices.Sorted(maps.Keys(s.in)) {
		if v := s.in[word]; v != nil || word == "const" {
			if !s.leaf(word, v) {
				s.holder(word, v)
			}
		}
	}
	s.arrays()
	s.conditions()
	s.unevaluated()
	s.reference()
	s.nullable()
}

// drop leaves a rule out.
func (s *member) drop(word, why string) {
	s.loose = true
	s.note(s.at, word, why)
}

// sub translates a schema that a keyword holds.
func (s *member) sub(v any, path ...string) map[string]any {
	var at strings.Builder
	at.WriteString(s.at)
	for _, name := range path {
		at.WriteString("/" + escape.Replace(name))
	}
	out, loose := s.schema(v, at.String(), s.deep)
	s.loose = s.loose || loose
	return out
}

// strictly translates a schema where more would be less; exact is false if it is loose.
func (s *member) strictly(v any, path ...string) (out map[string]any, exact bool) {
	was := s.loose
	s.loose = false
	s.negated++
	out = s.sub(v, path...)
	s.negated--
	exact = !s.loose
	s.loose = was
	return out, exact
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

// holder translates a keyword that holds schemas. Those of arrays and conditions depend
// on each other; see arrays, conditions and unevaluated.
func (s *member) holder(word string, v any) {
	switch word {
	case "properties", "patternProperties", "$defs", "definitions":
		s.named(word, v)
	case "dependencies", "dependentSchemas", "dependentRequired":
		s.dependencies(word, v)
	case "additionalProperties":
		if _, simple := v.(bool); simple {
			s.out[word] = v
			return
		}
		s.out[word] = s.sub(v, word)
	case "propertyNames":
		s.out[word] = s.sub(v, word)
	case "allOf", "anyOf":
		if list := s.list(word, v); list != nil {
			s.out[word] = list
		}
	case "oneOf":
		s.oneOf(v)
	}
}

// open lets an object have members of other names, some of which a rule that is left out is about.
func (s *member) open() { s.out["additionalProperties"] = true }

// named translates schemas by name.
func (s *member) named(word string, v any) {
	object, ok := v.(map[string]any)
	if !ok {
		s.drop(word, "it is no object")
		return
	}
	kept := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		key, why := name, ""
		switch {
		case len(kept) >= maxMembers || len(name) > maxName:
			why = "names that are too many or too long are left out"
		case word == "patternProperties":
			key, why = s.expression(name)
		}
		if why != "" {
			s.drop(word, why)
			s.open()
			continue
		}
		if word == "$defs" || word == "definitions" {
			was := s.loose
			kept[key] = s.sub(object[name], word, key)
			s.loose = was // it counts where it is referred to
			continue
		}
		kept[key] = s.sub(object[name], word, key)
	}
	s.out[word] = kept
}

// dependencies joins the two later keywords in the keyword dependencies of draft-07.
func (s *member) dependencies(word string, v any) {
	object, ok := v.(map[string]any)
	if !ok || len(object) > maxMembers {
		s.drop(word, "it is no object, or too large")
		return
	}
	all, _ := s.out["dependencies"].(map[string]any)
	if all == nil {
		all = map[string]any{}
		s.out["dependencies"] = all
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var rule any
		switch dep := object[name].(type) {
		case []any:
			rule = namesIn(dep)
		case string: // draft-03
			rule = []any{dep}
		default:
			rule = s.sub(dep, "dependencies", name)
		}
		if other, both := all[name]; both {
			rule = map[string]any{"allOf": []any{asSchema(other), asSchema(rule)}}
		}
		if len(name) <= maxName {
			all[name] = rule
		}
	}
}

func asSchema(rule any) any {
	if list, ok := rule.([]any); ok {
		return map[string]any{"required": list}
	}
	return rule
}

// list translates a list of schemas, nil for none.
func (s *member) list(word string, v any) []any {
	items, ok := v.([]any)
	if !ok || len(items) == 0 || len(items) > maxMembers {
		s.drop(word, "it is no list of schemas, or too long")
		return nil
	}
	list := make([]any, len(items))
	for i, item := range items {
		list[i] = s.sub(item, word, strconv.Itoa(i))
	}
	return list
}

// oneOf becomes anyOf if one of its schemas is loose: a value could then match two.
func (s *member) oneOf(v any) {
	was := s.loose
	s.loose = false
	s.negated++
	list := s.list("oneOf", v)
	s.negated--
	exact := !s.loose
	s.loose = was || !exact
	switch {
	case list == nil:
	case exact:
		s.out["oneOf"] = list
	case s.in["anyOf"] == nil:
		s.out["anyOf"] = list
	default:
		s.also(map[string]any{"anyOf": list})
	}
}

// also adds a schema to allOf.
func (s *member) also(part map[string]any) int {
	list, _ := s.out["allOf"].([]any)
	s.out["allOf"] = append(list, part)
	return len(list)
}
