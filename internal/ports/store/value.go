package store

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

func itoa(n int) string { return strconv.Itoa(n) }

// storedTime is the form of times in documents, whose text sorts by time.
const storedTime = "2006-01-02T15:04:05.000000000Z"

// comparableValue returns v as both databases compare it with the field: a string, a
// json.Number, a bool, or microseconds.
func comparableValue(field string, kind tool.FieldKind, v any) (any, error) {
	wrong := func(want string) error {
		return tool.Fail(tool.ValidationError, "%s is compared with a %T, and needs %s", field, v, want)
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.String && kind != tool.KindTime && kind != tool.KindNumber {
		v = r.String() // a named type
	}
	switch kind {
	case tool.KindText, tool.KindList:
		text, ok := v.(string)
		switch {
		case !ok:
			return nil, wrong("a text")
		case strings.ContainsRune(text, 0):
			return nil, tool.Fail(tool.ValidationError,
				"%s is compared with a text that holds the character NUL, which no stored text holds; leave it out", field)
		}
		return text, nil
	case tool.KindBoolean:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, wrong("true or false")
	case tool.KindTime:
		at, err := timeOf(v)
		if err != nil {
			return nil, wrong("a time")
		}
		if field == tool.FieldCreated || field == tool.FieldUpdated {
			return at.UnixMicro(), nil
		}
		return at.UTC().Format(storedTime), nil
	case tool.KindNumber:
		n, err := numberOf(v)
		if err != nil {
			return nil, wrong("a number")
		}
		return n, nil
	case tool.KindOther:
	}
	return nil, tool.Fail(tool.ValidationError, "%s cannot be compared", field)
}

func timeOf(v any) (time.Time, error) {
	switch v := v.(type) {
	case time.Time:
		return v, nil
	case string:
		return time.Parse(time.RFC3339Nano, v)
	}
	return time.Time{}, fmt.Errorf("%T is no time", v)
}

// numberOf returns the JSON of a number.
func numberOf(v any) (json.Number, error) {
	text := fmt.Sprint(v)
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", fmt.Errorf("%v is no JSON number", v)
		}
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, json.Number, tool.Number:
	default:
		return "", fmt.Errorf("%T is no number", v)
	}
	var n json.Number
	if err := json.Unmarshal([]byte(text), &n); err != nil || n == "" {
		return "", fmt.Errorf("%q is no JSON number", text)
	}
	return n, nil
}

// valueIn returns the value of a field of a row, as comparable does. What is missing, or
// of another kind, is the zero value.
func valueIn(row *tool.Row, field string, kind tool.FieldKind) any {
	switch field {
	case tool.FieldID:
		return row.ID
	case tool.FieldCreated:
		return row.CreatedAt.UnixMicro()
	case tool.FieldUpdated:
		return row.UpdatedAt.UnixMicro()
	}
	return valueOf(memberOf(row.Doc, field), kind)
}

// memberOf returns a member of a document; nil if it has none.
func memberOf(doc json.RawMessage, field string) json.RawMessage {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(doc, &members) // it was parsed when it was stored
	return members[field]
}

// valueOf returns the value of a field.
func valueOf(raw json.RawMessage, kind tool.FieldKind) any {
	switch kind {
	case tool.KindNumber:
		var n json.Number
		if json.Unmarshal(raw, &n) != nil || n == "" || raw[0] == '"' {
			return json.Number("0")
		}
		return n
	case tool.KindBoolean:
		var b bool
		_ = json.Unmarshal(raw, &b)
		return b
	default:
		var text string
		_ = json.Unmarshal(raw, &text)
		return text
	}
}
