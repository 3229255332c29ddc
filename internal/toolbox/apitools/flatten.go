package apitools

import "slices"

// flatten returns the fields of an object, with those of its alternatives, the names of the
// required ones, and whether it may have further fields; ok is false if it may be anything
// but an object, or has no fields.
func flatten(s map[string]any) (fields map[string]map[string]any, required []string, open, ok bool) {
	if s == nil || s["allOf"] != nil || s["type"] != nil && s["type"] != "object" {
		return nil, nil, false, false
	}
	fields = map[string]map[string]any{}
	gather(fields, s)
	required = namesOf(s["required"])
	more, has := s["additionalProperties"]
	open = has && more != false
	alternatives, _ := s["anyOf"].([]any)
	var common []string
	for i, one := range alternatives {
		part, _ := one.(map[string]any)
		if part["type"] != nil && part["type"] != "object" || part["anyOf"] != nil || part["allOf"] != nil || part["enum"] != nil {
			return nil, nil, false, false
		}
		if len(fields) == 0 && part["properties"] == nil {
			return nil, nil, false, false
		}
		gather(fields, part)
		own := namesOf(part["required"])
		if i == 0 {
			common = own
		}
		common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(own, name) })
		if more, has := part["additionalProperties"]; has && more != false {
			open = true
		}
	}
	for _, name := range common {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	return fields, required, open, len(fields) > 0
}

// gather adds the properties of a schema to fields. A field that differs between
// alternatives may be either.
func gather(fields map[string]map[string]any, s map[string]any) {
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		one, _ := p.(map[string]any)
		other, both := fields[name]
		switch {
		case !both:
			fields[name] = one
		case !same(other, one):
			fields[name] = map[string]any{"anyOf": []any{other, one}}
		}
	}
}

func same(a, b map[string]any) bool {
	x, err1 := encoded(a)
	y, err2 := encoded(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}

func namesOf(list any) []string {
	items, _ := list.([]any)
	var names []string
	for _, item := range items {
		if name, ok := item.(string); ok {
			names = append(names, name)
		}
	}
	return names
}
