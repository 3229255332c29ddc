package dataextraction

import (
	"bytes"
	"encoding/json"
)

// merge returns the object that two parts of a text make together: members of both, lists
// one behind the other without repetitions, and of two different values the first. Numbers
// keep their digits.
func merge(a, b json.RawMessage) json.RawMessage {
	switch {
	case blank(a):
		return b
	case blank(b):
		return a
	}
	var objects [2]map[string]json.RawMessage
	if json.Unmarshal(a, &objects[0]) == nil && json.Unmarshal(b, &objects[1]) == nil {
		for name, value := range objects[1] {
			objects[0][name] = merge(objects[0][name], value)
		}
		return encoded(objects[0], a)
	}
	var lists [2][]json.RawMessage
	if json.Unmarshal(a, &lists[0]) == nil && json.Unmarshal(b, &lists[1]) == nil {
		known := map[string]bool{}
		for _, item := range lists[0] {
			known[compact(item)] = true
		}
		for _, item := range lists[1] {
			if text := compact(item); !known[text] {
				known[text] = true
				lists[0] = append(lists[0], item)
			}
		}
		return encoded(lists[0], a)
	}
	return a
}

// blank reports whether a value says nothing: it is absent, null or an empty text.
func blank(v json.RawMessage) bool {
	text := string(bytes.TrimSpace(v))
	return text == "" || text == "null" || text == `""`
}

// compact returns a value without white space.
func compact(v json.RawMessage) string {
	var w bytes.Buffer
	if json.Compact(&w, v) != nil {
		return string(v)
	}
	return w.String()
}

// encoded returns v as JSON, and otherwise in the case that it has no form.
func encoded(v any, otherwise json.RawMessage) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		return otherwise
	}
	return text
}
