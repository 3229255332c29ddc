package batch

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// misfit returns the validation_error for an error of the decoder: the path and the type that
// the value must have, as the schema of a tool names them. Decode decodes an object with one of
// the members: for some types the decoder does not name the path.
func misfit(data []byte, err error, decode func([]byte) error) error {
	if err == nil {
		return nil
	}
	path := ""
	wrong, typed := errors.AsType[*json.UnmarshalTypeError](err)
	if typed {
		path = wrong.Field
	}
	var members map[string]json.RawMessage
	if path == "" && json.Unmarshal(data, &members) == nil {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			one, bad := json.Marshal(map[string]json.RawMessage{name: members[name]})
			if bad != nil || decode(one) != nil {
				path, data = name, members[name]
				break
			}
		}
	}
	said := "expected another value than " + kindOf(data)
	if typed {
		said = "expected " + typeName(wrong.Type) + ", got " + valueName(wrong.Value)
	}
	if path != "" {
		said = path + ": " + said
	}
	return tool.Fail(tool.ValidationError, "%s", said).Because(err)
}

// kindOf returns the JSON type of a value.
func kindOf(value []byte) string {
	var v any
	_ = json.Unmarshal(value, &v) // the decoder has read it
	if v == nil {
		return "null"
	}
	return typeName(reflect.TypeOf(v))
}

// valueName returns the JSON type of a value that the decoder has described.
func valueName(described string) string {
	if described == "bool" {
		return "boolean"
	}
	name, _, _ := strings.Cut(described, " ") // "number 1.5" does not fit an integer
	return name
}

// typeName returns the JSON type of the values of a Go type.
func typeName(t reflect.Type) string {
	if t == reflect.TypeFor[json.Number]() {
		return "number"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	default:
		return "object"
	}
}
