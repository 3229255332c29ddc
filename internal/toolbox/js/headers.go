package js

import (
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/net/http/httpguts"
)

func (r *realm) headers() goja.Value {
	return class[*headers]{
		name:      "Headers",
		construct: newHeaders,
		method:    headersMethod,
		iterator:  "entries",
	}.on(r)
}

// headers is a Headers object: values by lower-case name; values of the same name are
// joined by ", ".
type headers struct {
	bare

	r      *realm
	values map[string]string
}

func newHeaders(r *realm, call goja.FunctionCall) *headers {
	if init := call.Argument(0); !goja.IsUndefined(init) && !goja.IsNull(init) {
		return r.headersOf(r.pairsOf(init, "headers"))
	}
	return r.headersOf(nil)
}

// headersOf checks the pairs of a script.
func (r *realm) headersOf(pairs [][2]string) *headers {
	h := &headers{r: r, values: map[string]string{}}
	for _, p := range pairs {
		h.add(h.valid(p[0], p[1]))
	}
	return h
}

// valid returns the pair in its stored form. A pair that a request cannot contain is a
// TypeError; the host checks it again.
func (h *headers) valid(name, value string) (lower, trimmed string) {
	value = strings.Trim(value, " \t\r\n")
	if !httpguts.ValidHeaderFieldName(name) {
		panic(h.r.vm.NewTypeError("%q is not a valid name of a header", cut(name, 64)))
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		panic(h.r.vm.NewTypeError("the value of the header %s holds a line break or another control character", cut(name, 64)))
	}
	return strings.ToLower(name), value
}

func (h *headers) add(name, value string) {
	if before, ok := h.values[name]; ok {
		value = before + ", " + value
	}
	h.values[name] = value
}

// sorted returns the pairs by name, as scripts see them.
func (h *headers) sorted() [][2]string {
	pairs := make([][2]string, 0, len(h.values))
	for _, name := range slices.Sorted(maps.Keys(h.values)) {
		pairs = append(pairs, [2]string{name, h.values[name]})
	}
	return pairs
}

func headersMethod(name string) func(*headers, goja.FunctionCall) goja.Value {
	switch name {
	case "get":
		return (*headers).get
	case "has":
		return (*headers).has
	case "set":
		return (*headers).set
	case "append":
		return (*headers).append
	case "delete":
		return (*headers).delete
	case "forEach":
		return func(h *headers, call goja.FunctionCall) goja.Value { return h.r.forEach(h.sorted(), call) }
	case "keys", "values", "entries":
		return func(h *headers, _ goja.FunctionCall) goja.Value { return h.r.pairMethod(name, h.sorted()) }
	}
	return nil
}

// name returns the first argument as the name of a header.
func (h *headers) name(call goja.FunctionCall) string {
	return strings.ToLower(h.r.stringOf(call.Argument(0), "a header's name"))
}

func (h *headers) get(call goja.FunctionCall) goja.Value {
	if value, ok := h.values[h.name(call)]; ok {
		return h.r.vm.ToValue(value)
	}
	return goja.Null()
}

func (h *headers) has(call goja.FunctionCall) goja.Value {
	_, ok := h.values[h.name(call)]
	return h.r.vm.ToValue(ok)
}

func (h *headers) set(call goja.FunctionCall) goja.Value {
	name, value := h.pair(call)
	h.values[name] = value
	return goja.Undefined()
}

func (h *headers) append(call goja.FunctionCall) goja.Value {
	h.add(h.pair(call))
	return goja.Undefined()
}

func (h *headers) pair(call goja.FunctionCall) (name, value string) {
	return h.valid(h.r.stringOf(call.Argument(0), "a header's name"), h.r.stringOf(call.Argument(1), "a header's value"))
}

func (h *headers) delete(call goja.FunctionCall) goja.Value {
	delete(h.values, h.name(call))
	return goja.Undefined()
}
