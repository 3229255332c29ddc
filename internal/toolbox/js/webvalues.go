package js

import (
	"reflect"

	"github.com/dop251/goja"
)

// maxPairs limits a list of headers or parameters, which may come from an endless
// generator.
const maxPairs = 10_000

// stringOf returns v as a string, through toString if it is an object. It throws for a
// symbol and for a string that is longer than a body may be.
func (r *realm) stringOf(v goja.Value, what string) string {
	if obj, ok := v.(*goja.Object); ok {
		v = obj.ToString()
	}
	if _, ok := v.(*goja.Symbol); ok {
		panic(r.vm.NewTypeError("%s must be a string, but it is a symbol", what))
	}
	if s, ok := v.(goja.String); ok && s.Length() > MaxBody {
		panic(r.vm.NewTypeError("%s has %d characters, at most %d are allowed", what, s.Length(), MaxBody))
	}
	return v.String()
}

// bytesOf returns the bytes of an ArrayBuffer, a typed array or a DataView without
// copying them.
func (r *realm) bytesOf(v goja.Value) ([]byte, bool) {
	obj, ok := v.(*goja.Object)
	if !ok {
		return nil, false
	}
	if data, ok := bufferBytes(obj); ok {
		return data, true
	}
	if t := obj.ExportType(); t.Kind() == reflect.Slice && isNumber(t.Elem().Kind()) {
		var data []byte
		err := r.vm.ExportTo(obj, &data)
		return data, err == nil
	}
	// A DataView looks like any object here.
	data, ok := bufferBytes(obj.Get("buffer"))
	if !ok {
		return nil, false
	}
	from, length := integer(obj.Get("byteOffset")), integer(obj.Get("byteLength"))
	if from < 0 || length < 0 || from > int64(len(data)) || length > int64(len(data))-from {
		return nil, false
	}
	return data[from : from+length], true
}

func bufferBytes(v goja.Value) ([]byte, bool) {
	obj, ok := v.(*goja.Object)
	if !ok || obj.ExportType() != bufferType {
		return nil, false
	}
	buffer, ok := obj.Export().(goja.ArrayBuffer)
	return buffer.Bytes(), ok
}

func isNumber(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Float64 }

// integer returns v as an integer if it is a plain number, otherwise -1.
func integer(v goja.Value) int64 {
	if v == nil || !goja.IsNumber(v) {
		return -1
	}
	return v.ToInteger()
}

// buffer returns data as an ArrayBuffer, which then owns it.
func (r *realm) buffer(data []byte) goja.Value { return r.vm.ToValue(r.vm.NewArrayBuffer(data)) }

// uint8Array returns data as a Uint8Array, which then owns it.
func (r *realm) uint8Array(data []byte) goja.Value {
	array, err := r.vm.New(r.vm.Get("Uint8Array"), r.buffer(data))
	if err != nil {
		panic(err) // the script has replaced it
	}
	return array
}

// promised returns a promise of f's result; if f throws, the promise is rejected.
func (r *realm) promised(f func() goja.Value) goja.Value {
	promise, resolve, reject := r.vm.NewPromise()
	var v goja.Value
	var err error
	if thrown := r.vm.Try(func() { v = f() }); thrown != nil {
		err = reject(thrown.Value())
	} else {
		err = resolve(v)
	}
	if err != nil {
		panic(err)
	}
	return r.vm.ToValue(promise)
}

// pairsOf parses the argument of the constructors of Headers and URLSearchParams: one
// of their objects, a list of pairs, or an object of names and values.
func (r *realm) pairsOf(v goja.Value, what string) [][2]string {
	obj, ok := v.(*goja.Object)
	if !ok {
		panic(r.vm.NewTypeError("%s must be an object or a list of pairs", what))
	}
	if h, ok := valueOf[*headers](obj); ok {
		return h.sorted()
	}
	if p, ok := valueOf[*searchParams](obj); ok {
		return append([][2]string(nil), p.list...)
	}
	var pairs [][2]string
	size := 0
	add := func(name, value goja.Value) {
		pair := [2]string{r.stringOf(name, what), r.stringOf(value, what)}
		size += len(pair[0]) + len(pair[1])
		if len(pairs) >= maxPairs || size > MaxBody {
			panic(r.vm.NewTypeError("%s are more than %d or longer than %d MB", what, maxPairs, MaxBody>>20))
		}
		pairs = append(pairs, pair)
	}
	if method := obj.GetSymbol(goja.SymIterator); method == nil || goja.IsUndefined(method) || goja.IsNull(method) {
		for _, name := range obj.Keys() {
			value := obj.Get(name)
			if value == nil { // a getter removed it before, or its name is not text
				continue
			}
			add(r.vm.ToValue(name), value)
		}
		return pairs
	}
	r.vm.ForOf(obj, func(item goja.Value) bool {
		var pair []goja.Value
		if _, ok := item.(*goja.Object); ok {
			r.vm.ForOf(item, func(v goja.Value) bool {
				pair = append(pair, v)
				return len(pair) <= 2
			})
		}
		if len(pair) != 2 {
			panic(r.vm.NewTypeError("%s must be a list of pairs, each of a name and a value", what))
		}
		add(pair[0], pair[1])
		return true
	})
	return pairs
}

// iterator returns an iterator over the current values.
func (r *realm) iterator(values []any) goja.Value {
	array := r.vm.NewArray(values...)
	start, ok := goja.AssertFunction(array.GetSymbol(goja.SymIterator))
	if !ok {
		panic(r.vm.NewTypeError("arrays cannot be iterated"))
	}
	v, err := start(array)
	if err != nil {
		panic(err)
	}
	return v
}

// pairMethod returns the result of keys, values or entries.
func (r *realm) pairMethod(name string, pairs [][2]string) goja.Value {
	var values []any
	for _, p := range pairs {
		switch name {
		case "keys":
			values = append(values, p[0])
		case "values":
			values = append(values, p[1])
		case "entries":
			values = append(values, r.vm.NewArray(p[0], p[1]))
		}
	}
	return r.iterator(values)
}

// forEach calls the callback of call for each pair.
func (r *realm) forEach(pairs [][2]string, call goja.FunctionCall) goja.Value {
	callback, ok := goja.AssertFunction(call.Argument(0))
	if !ok {
		panic(r.vm.NewTypeError("forEach needs a function"))
	}
	for _, p := range pairs {
		if _, err := callback(call.Argument(1), r.vm.ToValue(p[1]), r.vm.ToValue(p[0]), call.This); err != nil {
			panic(err)
		}
	}
	return goja.Undefined()
}
