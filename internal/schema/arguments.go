package schema

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Arguments brings what a caller sent as arguments to a JSON object. An object
// stays as it is and shares its memory with raw; a JSON string that holds an
// object, as some model APIs send it, is unwrapped; absent arguments, null and
// an empty string become {}. Whatever else comes is an *[Invalid], and so is an
// object that does not pass [Strict]. The limit of 1 MiB is on raw.
func Arguments(raw []byte) ([]byte, error) {
	object, err := unwrap(raw)
	if err != nil {
		return nil, err
	}
	if problem := strict(object); problem != "" {
		return nil, invalid("arguments: %s", problem)
	}
	return object, nil
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
	if problem := strict(body); problem != "" {
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

// notObject says what stands where an object should.
func notObject(body []byte, where string) error {
	if problem := strict(body); problem != "" {
		return invalid("arguments: %s%s", problem, where)
	}
	return invalid("arguments: expected object, got %s%s", kindName(body[0]), where)
}

// kindName names the type of a valid JSON value by its first byte.
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
