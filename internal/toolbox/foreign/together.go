package foreign

import (
	"math"
	"strconv"
)

// arrays translates the keywords of lists: prefixItems, and items beside it, have other
// names in draft-07.
func (s *member) arrays() {
	items, rest := s.in["items"], s.in["additionalItems"]
	word := "items"
	if prefix, ok := s.in["prefixItems"].([]any); ok {
		items, rest = prefix, s.in["items"]
	} else if s.in["prefixItems"] != nil {
		s.drop("prefixItems", "it is no list")
	}
	switch list := items.(type) {
	case nil:
	case []any:
		if len(list) == 0 {
			if rest != nil {
				s.out[word] = s.sub(rest, word)
			}
			break
		}
		if kept := s.list(word, list); kept != nil {
			s.out[word] = kept
			if rest == false {
				s.out["additionalItems"] = false
			} else if rest != nil {
				s.out["additionalItems"] = s.sub(rest, "additionalItems")
			}
		}
	default:
		s.out[word] = s.sub(items, word)
	}
	s.contains()
}

// contains leaves the numbers of matching items to the server, except none and one.
func (s *member) contains() {
	within := s.in["contains"]
	least, most := 1.0, math.Inf(1)
	if n, ok := number(s.in["minContains"]); ok {
		least = n
	}
	if n, ok := number(s.in["maxContains"]); ok {
		most = n
	}
	if within == nil {
		return
	}
	if least > 1 || !math.IsInf(most, 1) {
		s.drop("contains", "how many items match is not counted")
	}
	if least > 0 {
		s.out["contains"] = s.sub(within, "contains")
	}
}

// conditions translates not, and if with its branches.
func (s *member) conditions() {
	if v := s.in["not"]; v != nil {
		if out, exact := s.strictly(v, "not"); exact {
			s.out["not"] = out
		} else {
			s.drop("not", "a part of it cannot be checked")
		}
	}
	condition := s.in["if"]
	if condition == nil || s.in["then"] == nil && s.in["else"] == nil {
		return
	}
	out, exact := s.strictly(condition, "if")
	if !exact {
		s.drop("if", "a part of it cannot be checked")
		return
	}
	s.out["if"] = out
	for _, word := range []string{"then", "else"} {
		if v := s.in[word]; v != nil {
			s.out[word] = s.sub(v, word)
		}
	}
}

// beside are the keywords whose schemas look at the same object or list.
var beside = []string{
	"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas",
	"dependencies", "contains",
}

// unevaluated translates unevaluatedProperties and unevaluatedItems where they mean what an
// older keyword means: where no other schema evaluates anything.
func (s *member) unevaluated() {
	for word, older := range map[string]string{"unevaluatedProperties": "additionalProperties", "unevaluatedItems": "items"} {
		v := s.in[word]
		if v == nil || v == true || s.out[older] != nil && older == "additionalProperties" {
			continue
		}
		if older == "items" && s.out["items"] != nil {
			if _, tuple := s.out["items"].([]any); !tuple || s.out["additionalItems"] != nil {
				continue // all items are evaluated
			}
			older = "additionalItems"
		}
		alone := true
		for _, other := range beside {
			alone = alone && s.in[other] == nil
		}
		switch {
		case !alone:
			s.drop(word, "it depends on what other schemas look at")
		case v == false && older != "items":
			s.out[older] = false
		default:
			s.out[older] = s.sub(v, older)
		}
	}
}

// reference adds what a schema refers to. Beside other rules it goes into allOf, because
// draft-07 ignores them.
func (s *member) reference() {
	for _, word := range []string{"$dynamicRef", "$recursiveRef"} {
		if s.in[word] != nil {
			s.drop(word, "what it refers to depends on the path that leads there")
			s.lost()
		}
	}
	if s.in["$ref"] == nil {
		return
	}
	ref, why := s.resolve(s.in["$ref"])
	if why == "" {
		why = s.bad[s.at]
	}
	if why != "" {
		s.drop("$ref", why)
		s.lost()
		return
	}
	s.depends = s.depends || s.negated > 0
	s.loose = s.loose || s.doubt
	place := s.at
	alone := s.at != ""
	for word := range s.out {
		alone = alone && annotation[word]
	}
	if alone && s.in["nullable"] != true {
		s.out["$ref"] = ref
	} else {
		place += "/allOf/" + strconv.Itoa(s.also(map[string]any{"$ref": ref}))
	}
	s.refs[place] = s.at
}

// lost keeps parameters that only a schema which is left out may name.
func (s *member) lost() {
	if s.at == "" && s.out["additionalProperties"] == nil {
		s.open()
	}
}

// nullable lets a schema accept null too, as OpenAPI 3.0 writes it.
func (s *member) nullable() {
	if s.in["nullable"] != true {
		return
	}
	s.loose = true // no dialect of JSON Schema has it
	if list, ok := s.out["enum"].([]any); ok {
		s.out["enum"] = different(append(list, nil))
	}
	if v, ok := s.out["const"]; ok {
		delete(s.out, "const")
		s.out["enum"] = different([]any{v, nil})
	}
	switch kind := s.out["type"].(type) {
	case string:
		s.out["type"] = different([]any{kind, "null"})
	case []any:
		s.out["type"] = different(append(kind, "null"))
	}
	if list, ok := s.out["oneOf"].([]any); ok && s.out["anyOf"] == nil {
		s.out["anyOf"] = list
		delete(s.out, "oneOf")
	}
	if list, ok := s.out["anyOf"].([]any); ok {
		s.out["anyOf"] = append(list, map[string]any{"type": "null"})
		return
	}
	if list, ok := s.out["allOf"].([]any); ok && len(list) == 1 {
		if part, ok := list[0].(map[string]any); ok && part["$ref"] != nil {
			place := s.at + "/anyOf/0"
			s.refs[place] = s.at
			delete(s.out, "allOf")
			s.out["anyOf"] = []any{part, map[string]any{"type": "null"}}
		}
	}
}
