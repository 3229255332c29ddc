package call

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/jsonx/canon"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// field is one member of the JSON object for a T. With the fields of a struct its objects are
// written and read faster than by the JSON library, for nearly all messages.
type field[T any] struct {
	name string
	// always is false for a member that is left out if it is zero or empty.
	always bool
	// of returns a pointer to the field.
	of func(*T) any
}

// fieldsOf returns the fields of T by their tags. It panics for a type of field that
// [appendMember] does not know.
func fieldsOf[T any]() (all []field[T]) {
	for f := range reflect.TypeFor[T]().Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		all = append(all, field[T]{name, options == "", pointer[T](f)})
	}
	return all
}

// pointer returns the function that returns a pointer to a field.
func pointer[T any](f reflect.StructField) func(*T) any {
	switch reflect.Zero(f.Type).Interface().(type) {
	case string:
		return at[T, string](f.Offset)
	case tool.Kind:
		return at[T, tool.Kind](f.Offset)
	case int64:
		return at[T, int64](f.Offset)
	case int:
		return at[T, int](f.Offset)
	case bool:
		return at[T, bool](f.Offset)
	case float64:
		return at[T, float64](f.Offset)
	case jsontext.Value:
		return at[T, jsontext.Value](f.Offset)
	case json.RawMessage:
		return at[T, json.RawMessage](f.Offset)
	case *protocol.Owner:
		return at[T, *protocol.Owner](f.Offset)
	case *protocol.ResultRef:
		return at[T, *protocol.ResultRef](f.Offset)
	case []string:
		return at[T, []string](f.Offset)
	case map[string]any:
		return at[T, map[string]any](f.Offset)
	case []protocol.ProgramWait:
		return at[T, []protocol.ProgramWait](f.Offset)
	}
	panic(fmt.Sprintf("call: field %s has type %s, which the codec does not know", f.Name, f.Type))
}

// at returns the function that returns a pointer to the field of type F at an offset. Package
// reflect would take ten times as long for each field of each message.
func at[T, F any](offset uintptr) func(*T) any {
	return func(v *T) any { return (*F)(unsafe.Add(unsafe.Pointer(v), offset)) }
}

// appendObject appends v as the JSON library would write it with [lenient], or returns
// false if v holds a value that only the library can write.
func appendObject[T any](buf []byte, v *T, fields []field[T]) ([]byte, bool) {
	buf = append(buf, '{')
	start := len(buf)
	for i := range fields {
		f := &fields[i]
		p := f.of(v)
		if !f.always && isZero(p) {
			continue
		}
		if len(buf) > start {
			buf = append(buf, ',')
		}
		buf = append(append(append(buf, '"'), f.name...), `":`...)
		var ok bool
		if buf, ok = appendMember(buf, p); !ok {
			return nil, false
		}
	}
	return append(buf, '}'), true
}

// isZero reports whether the value that the pointer p points to is left out.
func isZero(p any) bool {
	switch p := p.(type) {
	case *string:
		return *p == ""
	case *tool.Kind:
		return *p == ""
	case *int64:
		return *p == 0
	case *int:
		return *p == 0
	case *bool:
		return !*p
	case *jsontext.Value:
		return *p == nil
	case *json.RawMessage:
		return *p == nil
	case **protocol.Owner:
		return *p == nil || **p == protocol.Owner{}
	case **protocol.ResultRef:
		return *p == nil
	case *[]string:
		return len(*p) == 0
	case *map[string]any:
		return len(*p) == 0
	case *[]protocol.ProgramWait:
		return len(*p) == 0
	}
	return false
}

// appendMember appends the value that the pointer p points to. It is not ok if only the
// library can write it.
func appendMember(buf []byte, p any) (out []byte, ok bool) {
	switch p := p.(type) {
	case *string:
		return appendText(buf, *p), true
	case *tool.Kind:
		return appendText(buf, string(*p)), true
	case *int64:
		return strconv.AppendInt(buf, *p, 10), true
	case *int:
		return strconv.AppendInt(buf, int64(*p), 10), true
	case *bool:
		return strconv.AppendBool(buf, *p), true
	case *float64:
		abs := math.Abs(*p)
		return strconv.AppendFloat(buf, *p, 'f', -1, 64), *p == 0 && !math.Signbit(*p) || abs >= 1e-6 && abs < 1e21
	case *jsontext.Value:
		return append(buf, *p...), canon.Of(*p) != canon.Unknown
	case *json.RawMessage:
		return append(buf, *p...), canon.Of(*p) != canon.Unknown
	case **protocol.Owner:
		return appendObject(buf, *p, ownerFields)
	}
	return buf, false
}

// appendText appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendText(buf []byte, text string) []byte {
	for i := canon.Plain(text); i < len(text); i++ {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			buf, _ = jsontext.AppendQuote(buf, text) // the error is about such bytes
			return buf
		}
	}
	return append(append(append(buf, '"'), text...), '"')
}

// parseObject reads the output of [appendObject] into v, which is zero, and reports whether
// that was all of data. If it was not, v may be partly set, and the library has to read the
// data. Values of type [jsontext.Value] share the memory of data.
func parseObject[T any](data []byte, v *T, fields []field[T]) bool {
	if len(data) < 2 || data[0] != '{' {
		return false
	}
	from := source{data: data}
	if len(data) <= maxShared {
		from.text = string(data)
	}
	var seen uint64
	for next, i := 0, 1; ; next++ {
		end := plainText(data, i)
		if end < 0 || end+1 >= len(data) || data[end] != ':' {
			return false
		}
		next = named(fields, next, data[i+1:end-1])
		if next < 0 || seen&(1<<next) != 0 {
			return false
		}
		seen |= 1 << next
		if i = from.parse(end+1, fields[next].of(v)); i < 0 || i >= len(data) {
			return false
		}
		switch data[i] {
		case ',':
			i++
		case '}':
			return i+1 == len(data)
		default:
			return false
		}
	}
}

// named returns the index of a field by its name; likely is the index to try first.
func named[T any](fields []field[T], likely int, name []byte) int {
	for i := range fields {
		at := (likely + i) % len(fields)
		if fields[at].name == string(name) {
			return at
		}
	}
	return -1
}

// maxShared is the size of a message up to which its strings share one copy of it.
const maxShared = 4 << 10

// source is a message that is being read.
type source struct {
	data []byte
	text string // the same as a string, unless it is too large
}

func (s *source) cut(from, to int) string {
	if s.text != "" {
		return s.text[from:to]
	}
	return string(s.data[from:to])
}

// parse reads the value at i into the target of p, and returns the position after it, or
// -1.
func (s *source) parse(i int, p any) int {
	data := s.data[i:]
	switch p := p.(type) {
	case *string:
		end := plainText(s.data, i)
		if end < 0 || !utf8.Valid(s.data[i:end]) {
			return -1
		}
		*p = s.cut(i+1, end-1)
		return end
	case *int64:
		number, n, ok := wholeNumber(data)
		if *p = number; ok {
			return i + n
		}
	case *int:
		number, n, ok := wholeNumber(data)
		if *p = int(number); ok && int64(*p) == number {
			return i + n
		}
	case *bool:
		switch {
		case bytes.HasPrefix(data, []byte("true")):
			*p = true
			return i + len("true")
		case bytes.HasPrefix(data, []byte("false")):
			return i + len("false")
		}
	case *jsontext.Value:
		n, _ := canon.First(data)
		if n > 0 && data[0] != 'n' {
			*p = data[:n:n]
			return i + n
		}
	}
	return -1
}

// wholeNumber reads an integer of at most 18 digits, and returns its length.
func wholeNumber(data []byte) (number int64, n int, ok bool) {
	negative := len(data) > 0 && data[0] == '-'
	if negative {
		n++
	}
	first := n
	for n < len(data) && data[n] >= '0' && data[n] <= '9' && n < first+18 {
		number = number*10 + int64(data[n]-'0')
		n++
	}
	if n == first || data[first] == '0' && (n > first+1 || negative) {
		return 0, 0, false
	}
	if negative {
		number = -number
	}
	return number, n, true
}

// plainText returns the position after the JSON string at i, or -1 if it does not end or
// contains an escape.
func plainText(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	i++
	for i += canon.Plain(data[i:]); i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case c == '\\' || c < ' ':
			return -1
		}
	}
	return -1
}
