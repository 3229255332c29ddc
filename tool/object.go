package tool

import (
	"encoding/json"
	"slices"
)

// Object is an argument that is a JSON object of any shape, byte for byte as the caller
// sent it: no number is rounded, no member reordered.
type Object json.RawMessage

// UnmarshalJSON implements [json.Unmarshaler].
func (o *Object) UnmarshalJSON(data []byte) error {
	*o = slices.Clone(data)
	return nil
}

// MarshalJSON implements [json.Marshaler]; an empty Object is {}.
func (o Object) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("{}"), nil
	}
	return json.RawMessage(o).MarshalJSON()
}
