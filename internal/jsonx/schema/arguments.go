package schema

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/jsonx/canon"
)

// Arguments converts the arguments sent by a caller into a JSON object. An object stays as
// it is and shares its memory with raw; a JSON string that holds an object, as some model
// APIs send it, is unwrapped; absent arguments, null and an empty string become {}. Any
// other value is an *[Invalid], and so is an object that does not pass [Strict]. The limit
// of 1 MiB applies to raw.
func Arguments(raw []byte) ([]byte, error) {
	object, _, err := arguments(raw)
	return object, err
}

// arguments is [Arguments]. Short is true if a 64-bit float certainly keeps the digits of
// every number.
func arguments(raw []byte) (object []byte, short bool, err error) {
	if formOf(raw) != canon.Unknown {
		return raw, true, nil
	}
	return read(raw)
}

// read is [arguments] for everything but the common forms of an object.
func read(raw []byte) (object []byte, short bool, err error) {
	object, err = unwrap(raw)
	if err != nil {
		return nil, false, err
	}
	problem, short := strict(object)
	if problem != "" {
		return nil, false, invalid("arguments: %s", problem)
	}
	return object, short, nil
}

// formOf returns the form of an object, which is Unknown if one pass of [canon] cannot
// decide it. An object of another form passes [Strict].
func formOf(raw []byte) canon.Form {
	if len(raw) == 0 || raw[0] != '{' || len(raw) > MaxBytes {
		return canon.Unknown
	}
	return canon.Of(raw)
}

// unwrap finds the object in raw. It looks at the object's first byte only.
func unwrap(raw []byte) ([]byte, error) {
	if len(raw) > MaxBytes {
		return nil, invalid("arguments: %s", tooLarge)
	}
	body := trim(raw)
	switch {
	case len(body) == 0 || string(body) == "null":
		return []byte("{}"), nil
	case body[0] == '{':
		return raw, nil
	case body[0] != '"':
		return nil, notObject(body, "")
	}
	if problem, _ := strict(body); problem != "" {
		return nil, invalid("arguments: %s", problem)
	}
	inner, err := jsontext.AppendUnquote(nil, body)
	if err != nil {
		return nil, invalid("arguments: not valid JSON")
	}
	switch body := trim(inner); {
	case len(body) == 0:
		return []byte("{}"), nil
	case body[0] == '{':
		return inner, nil
	default:
		return nil, notObject(body, " inside the string")
	}
}

// notObject returns the error for a value that is not an object.
func notObject(body []byte, where string) error {
	if problem, _ := strict(body); problem != "" {
		return invalid("arguments: %s%s", problem, where)
	}
	return invalid("arguments: expected object, got %s%s", kindName(body[0]), where)
}

// kindName returns the type of a valid JSON value, by its first byte.
func kindName(first byte) string {
	switch first {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// trim cuts the white space JSON allows around a value.
func trim(raw []byte) []byte { return bytes.Trim(raw, " \t\r\n") }
