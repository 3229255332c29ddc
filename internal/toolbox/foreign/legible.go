package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Legible returns a schema with legible texts of at most longest bytes, and refuses names and
// values with characters that people cannot see. It changes nothing else, and returns a
// schema without such characters as it is.
func Legible(raw json.RawMessage, longest int) (json.RawMessage, error) {
	if len(raw) == 0 {
		return raw, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	clean, err := tidy(v, "", longest, 0)
	if err != nil || reflect.DeepEqual(clean, v) {
		return raw, err
	}
	return encode(clean)
}

// tidy makes the texts in a schema legible, and refuses names and values with invisible
// characters. Under is the name of the member whose value v is, longest the maximum size of
// a text.
func tidy(v any, under string, longest, deep int) (any, error) {
	if deep > 4*maxDeep {
		return nil, fmt.Errorf("it is nested more than %d deep", 4*maxDeep)
	}
	switch v := v.(type) {
	case string:
		if under == "description" || under == "title" {
			return Text(v, longest), nil
		}
		if Hidden(v) {
			return nil, fmt.Errorf("the text %.80q holds characters that cannot be seen", v)
		}
		return v, nil
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = tidy(item, "", longest, deep+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, member := range v {
			if Hidden(name) {
				return nil, fmt.Errorf("the name %.80q holds characters that cannot be seen", name)
			}
			var err error
			if object[name], err = tidy(member, name, longest, deep+1); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return v, nil
}
