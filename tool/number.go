package tool

import (
	"encoding/json"
	"errors"
)

// Number is a JSON number as text, for results whose digits a float64 would lose.
type Number string

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) {
	if _, err := json.Marshal(json.Number(n)); err != nil || n == "" {
		return nil, errors.New("tool: not a JSON number: " + string(n))
	}
	return []byte(n), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Number) UnmarshalJSON(text []byte) error {
	var number json.Number
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	*n = Number(number)
	return nil
}
