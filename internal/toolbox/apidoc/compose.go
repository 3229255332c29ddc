package apidoc

import (
	"maps"
	"slices"
)

// compose brings alternatives and parts of a schema into a form that can be cut: oneOf
// becomes anyOf, since a schema that is cut matches too much, and objects that allOf joins
// become one. The names of absent are not required.
func compose(s map[string]any, absent map[string]bool) map[string]any {
	if len(absent) > 0 {
		if names, ok := s["required"].([]any); ok {
			setRequired(s, slices.DeleteFunc(names, func(name any) bool { n, _ := name.(string); return absent[n] }))
		}
	}
	one, many := s["oneOf"], s["anyOf"]
	if delete(s, "oneOf"); one != nil {
		if many == nil {
			s["anyOf"] = one
		} else {
			delete(s, "anyOf")
			parts, _ := s["allOf"].([]any)
			s["allOf"] = append(slices.Clip(parts), map[string]any{"anyOf": many}, map[string]any{"anyOf": one})
		}
	}
	parts, _ := s["allOf"].([]any)
	if len(parts) == 0 {
		return s
	}
	whole := maps.Clone(s)
	delete(whole, "allOf")
	for _, part := range parts {
		p, _ := part.(map[string]any)
		if !join(whole, p) {
			return s
		}
	}
	return whole
}

// simple are the keywords of objects that can be joined.
var simple = []string{"type", "properties", "required", "description", "additionalProperties"}

func isSimple(s map[string]any) bool {
	for word := range s {
		if !slices.Contains(simple, word) {
			return false
		}
	}
	t, typed := s["type"]
	return !typed || t == "object"
}

// join adds the fields of an object to another one, and reports whether it could.
func join(whole, part map[string]any) bool {
	if !isSimple(whole) || !isSimple(part) {
		return false
	}
	whole["type"] = "object"
	props := map[string]any{}
	for _, s := range []map[string]any{whole, part} {
		own, _ := s["properties"].(map[string]any)
		for name, p := range own {
			if other, both := props[name]; both {
				p = map[string]any{"allOf": []any{other, p}}
			}
			props[name] = p
		}
	}
	if len(props) > maxMembers {
		return false
	}
	whole["properties"] = props
	setRequired(whole, slices.Concat(requiredOf(whole), requiredOf(part)))
	if whole["description"] == nil && part["description"] != nil {
		whole["description"] = part["description"]
	}
	more, has := part["additionalProperties"]
	if own, both := whole["additionalProperties"]; both && (own == false || has && more == false) || !both && more == false {
		delete(whole, "additionalProperties") // each part would refuse the fields of the others
	} else if has && !both {
		whole["additionalProperties"] = more
	}
	return true
}

func requiredOf(s map[string]any) []any {
	names, _ := s["required"].([]any)
	return names
}

// setRequired sets the names without repetitions; none removes the keyword.
func setRequired(s map[string]any, names []any) {
	var different []any
	for _, name := range names {
		if !slices.Contains(different, name) && len(different) < maxMembers {
			different = append(different, name)
		}
	}
	if delete(s, "required"); len(different) > 0 {
		s["required"] = different
	}
}
