package jsonvalue

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// Flatten returns one object instead of nested objects; its names are paths. Arrays are
// not flattened, except a top-level one. Other values are returned unchanged.
func Flatten(v jsontext.Value) (jsontext.Value, error) {
	flat := flat{'{'}
	switch v.Kind() {
	case '{':
		if err := flat.object("", v); err != nil {
			return nil, err
		}
	case '[':
		for i, item := range jsonwalk.Items(v) {
			if err := flat.member(string(jsonwalk.Count(i)), item); err != nil {
				return nil, err
			}
		}
	default:
		return v, nil
	}
	return jsontext.Value(append(flat, '}')), nil
}

// flat collects the members of the result. Its size is limited, because a long name is
// repeated for everything below it.
type flat []byte

func (f *flat) object(prefix string, object jsontext.Value) error {
	for _, m := range jsonwalk.Members(object) {
		name := pathName(m.Name)
		if prefix != "" && !strings.HasPrefix(name, "[") {
			name = "." + name
		}
		if err := f.member(prefix+name, m.Value); err != nil {
			return err
		}
	}
	return nil
}

func (f *flat) member(path string, v jsontext.Value) error {
	if v.Kind() == '{' && len(jsonwalk.Members(v)) > 0 {
		return f.object(path, v)
	}
	if len(*f) > 1 {
		*f = append(*f, ',')
	}
	*f = append(append(jsonwalk.AppendString(*f, path), ':'), v...)
	if len(*f) > MaxOutput {
		return errOutput
	}
	return nil
}
