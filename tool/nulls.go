package tool

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// withoutNulls returns encoded, which encoding/json made of a value of type t, with [] and {} in
// place of each null that is a nil list or map: the schema of a result has no null there. What a
// type encodes itself is left as it is.
func withoutNulls(encoded []byte, t reflect.Type) ([]byte, error) {
	if t == nil || !bytes.Contains(encoded, []byte("null")) {
		return encoded, nil
	}
	var w bytes.Buffer
	n := nulls{
		jsontext.NewDecoder(bytes.NewReader(encoded), jsontext.AllowDuplicateNames(true)),
		jsontext.NewEncoder(&w, jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)),
	}
	if err := n.value(t); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(w.Bytes(), []byte("\n")), nil
}

// nulls copies a JSON value.
type nulls struct {
	*jsontext.Decoder
	to *jsontext.Encoder
}

// value copies the next value, which is of a Go type; nil for an unknown type.
func (n nulls) value(t reflect.Type) error {
	kind := n.PeekKind()
	if t == nil || encodesItself(t) || kind == 'n' && t.Kind() == reflect.Pointer {
		return n.plain()
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case kind == 'n' && t == reflect.TypeFor[[]byte]():
		return n.replace(`""`)
	case kind == 'n' && t.Kind() == reflect.Slice:
		return n.replace("[]")
	case kind == 'n' && t.Kind() == reflect.Map:
		return n.replace("{}")
	case kind == '[' && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return n.within(']', func() error { return n.value(t.Elem()) })
	case kind == '{' && t.Kind() == reflect.Map:
		return n.members(func(string) reflect.Type { return t.Elem() })
	case kind == '{' && t.Kind() == reflect.Struct:
		types := map[string]reflect.Type{}
		for _, f := range fields(t) {
			if name, _, skip := fieldName(f); !skip {
				types[name] = f.Type
			}
		}
		return n.members(func(name string) reflect.Type { return types[name] })
	}
	return n.plain()
}

func encodesItself(t reflect.Type) bool {
	for _, itself := range []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()} {
		if t.Implements(itself) || t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(itself) {
			return true
		}
	}
	return false
}

// plain copies the next value as it is.
func (n nulls) plain() error {
	v, err := n.ReadValue()
	if err != nil {
		return err
	}
	return n.to.WriteValue(v)
}

// replace writes another value than the next one.
func (n nulls) replace(by string) error {
	if err := n.SkipValue(); err != nil {
		return err
	}
	return n.to.WriteValue(jsontext.Value(by))
}

// members copies an object whose members have the types that typeOf returns.
func (n nulls) members(typeOf func(name string) reflect.Type) error {
	return n.within('}', func() error {
		name, err := n.ReadToken()
		if err != nil {
			return err
		}
		t := typeOf(name.String())
		if err := n.to.WriteToken(name); err != nil {
			return err
		}
		return n.value(t)
	})
}

// within copies the brackets of a value, and calls each for what is between them.
func (n nulls) within(end jsontext.Kind, each func() error) error {
	for first := true; ; first = false {
		if closing := n.PeekKind() == end; first || closing {
			bracket, err := n.ReadToken()
			if err != nil {
				return err
			}
			if err := n.to.WriteToken(bracket); err != nil || closing {
				return err
			}
			continue
		}
		if err := each(); err != nil {
			return err
		}
	}
}
