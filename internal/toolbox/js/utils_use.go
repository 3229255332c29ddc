package js

import (
	"fmt"
	"math"

	"github.com/dop251/goja"
)

// use is one call of a helper written in Go.
type use struct {
	goja.FunctionCall

	r    *realm
	name string
}

// helper creates the function of a helper.
func (r *realm) helper(name string, f func(use) goja.Value) goja.Value {
	return r.function(name, func(call goja.FunctionCall) goja.Value { return f(use{call, r, name}) })
}

// refusef throws a TypeError that names the helper.
func (u use) refusef(format string, args ...any) {
	panic(u.r.vm.NewTypeError("utils.%s: %s", u.name, fmt.Sprintf(format, args...)))
}

// value converts a string, a number or a bool to the helper's result.
func (u use) value(v any) goja.Value { return u.r.vm.ToValue(v) }

// given reports whether argument i is neither undefined nor null.
func (u use) given(i int) bool {
	return !goja.IsUndefined(u.Argument(i)) && !goja.IsNull(u.Argument(i))
}

// text returns argument i. A number is formatted; an object is refused, because its
// toString might do anything.
func (u use) text(i int, what string) string {
	v := u.Argument(i)
	if goja.IsNumber(v) {
		return v.String()
	}
	s, ok := v.(goja.String)
	if !ok {
		u.refusef("%s must be a string, but it is %s", what, kindOf(v))
	}
	if s.Length() > maxText {
		u.refusef("%s has %d characters, at most %d are allowed", what, s.Length(), maxText)
	}
	return s.String()
}

// bytes returns argument i as bytes: the UTF-8 of a text, or the contents of a buffer.
func (u use) bytes(i int, what string) []byte {
	obj, ok := u.Argument(i).(*goja.Object)
	if !ok {
		return []byte(u.text(i, what))
	}
	var data []byte
	switch obj.ExportType() {
	case bufferType:
		buffer, _ := obj.Export().(goja.ArrayBuffer)
		data = buffer.Bytes()
	case bytesType:
		data, _ = obj.Export().([]byte)
	default:
		u.refusef("%s must be a string, an ArrayBuffer or a Uint8Array", what)
	}
	if len(data) > maxText {
		u.refusef("%s has %d bytes, at most %d are allowed", what, len(data), maxText)
	}
	return data
}

// whole returns argument i, a whole number from least to most.
func (u use) whole(i int, what string, least, most int64) int64 {
	v := u.Argument(i)
	if !goja.IsNumber(v) {
		u.refusef("%s must be a number, but it is %s", what, kindOf(v))
	}
	n := v.ToFloat()
	if n != math.Trunc(n) || n < float64(least) || n > float64(most) { // also NaN
		u.refusef("%s must be a whole number from %d to %d, but it is %s", what, least, most, v)
	}
	return int64(n)
}

// kindOf returns the name of a value's type for the script's author.
func kindOf(v goja.Value) string {
	switch {
	case goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "null"
	case goja.IsString(v):
		return "a string"
	case goja.IsNumber(v):
		return "a number"
	}
	if _, ok := v.(*goja.Object); ok {
		return "an object"
	}
	return "of another type"
}
