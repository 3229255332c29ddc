package vectorsearch

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// marker makes the marks by which searches select vectors: one for the namespace and one
// for each member of the metadata with its value, as hashes that nobody can predict.
type marker struct{ seed maphash.Seed }

func newMarker() marker { return marker{maphash.MakeSeed()} }

// namespace returns the mark of a namespace.
func (m marker) namespace(name string) uint64 { return maphash.String(m.seed, "n\x00"+name) }

// of returns the marks of a row.
func (m marker) of(namespace string, metadata json.RawMessage) ([]uint64, error) {
	marks := []uint64{m.namespace(namespace)}
	if len(metadata) == 0 {
		return marks, nil
	}
	wanted, err := m.wanted(metadata)
	return append(marks, wanted...), err
}

// wanted returns the marks of an object's members.
func (m marker) wanted(object json.RawMessage) (marks []uint64, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	for name, value := range members {
		text, err := canonical(value)
		if err != nil {
			return nil, err
		}
		marks = append(marks, maphash.String(m.seed, "m\x00"+name+"\x00"+text))
	}
	return marks, nil
}

// filtered returns the marks of a filter and of a namespace; a nil namespace is any.
func (m marker) filtered(filter tool.Object, namespace *string) ([]uint64, error) {
	var marks []uint64
	if namespace != nil {
		marks = append(marks, m.namespace(*namespace))
	}
	if len(filter) == 0 {
		return marks, nil
	}
	wanted, err := m.wanted(json.RawMessage(filter))
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "filter must be an object of metadata and its values").Because(err)
	}
	return append(marks, wanted...), nil
}

// canonical returns a text that is the same for equal values: 1 and 1.0, objects in any
// order.
func canonical(value json.RawMessage) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", err
	}
	text, err := json.Marshal(plain(v))
	return string(text), err
}

// plain replaces the numbers in a value by texts of one form.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil || !strings.ContainsAny(string(v), ".eE") {
			return v
		}
		return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plain(v[name])
		}
	}
	return v
}
