package js

import (
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// The limits of one operation of an operator's script, for functions that allocate by a
// number and that the script names.
const (
	mostChars    = 64 << 20 // of a string
	mostBytes    = 64 << 20 // of a buffer or a typed array
	mostElements = 4 << 20  // of an array to fill
)

// allocators maps constructors to the methods that can allocate a lot.
var (
	growingText   = []string{"padEnd", "padStart", "repeat", "replace", "replaceAll", "split"}
	growingArrays = []string{"fill", "from", "join", "toReversed", "toSorted", "toSpliced", "toString", "with"}
	buffers       = map[string]int64{ // bytes per element
		"ArrayBuffer": 1, "Int8Array": 1, "Uint8Array": 1, "Uint8ClampedArray": 1, "Int16Array": 2, "Uint16Array": 2,
		"Int32Array": 4, "Uint32Array": 4, "Float32Array": 4, "Float64Array": 8, "BigInt64Array": 8, "BigUint64Array": 8,
	}
)

// bound replaces the functions that the program names by checked ones, or all functions
// if the program may reach some without naming them. Other programs cost nothing. A
// replacement lasts for the life of the runtime.
func (r *realm) bound(p *Program) {
	r.boundChains(p)
	r.boundNames(p.bounded)
	r.boundAll(p)
}

func (r *realm) boundNames(names []string) {
	for _, name := range names {
		if slices.Contains(r.bounded, name) {
			continue
		}
		r.bounded = append(r.bounded, name)
		switch {
		case name == "concat":
			r.boundMethod("String", name, r.joinsFit)
			r.boundMethod("Array", name, r.joinsFit)
		case name == "apply":
			r.boundMethod("Function", name, r.listFits)
		case name == "replace" || name == "replaceAll":
			r.boundMethod("String", name, r.replacementFits)
		case name == "split":
			r.boundMethod("String", name, r.splitFits)
		case slices.Contains(growingText, name):
			r.boundMethod("String", name, r.textFits)
		case slices.Contains(growingArrays, name) && name != "from":
			r.boundMethod("Array", name, r.arrayFits)
		case name == "from":
			r.boundFrom()
		default:
			r.boundBuffer(name, buffers[name])
		}
	}
}

// tooMuch throws the error of an operation that would take too much.
func (r *realm) tooMuch(what string) {
	panic(r.error("RangeError", what+" would take more memory than one operation of a script may; do it in smaller parts"))
}

// boundMethod replaces a method by a function that first checks this and the arguments
// with fits.
func (r *realm) boundMethod(class, name string, fits func(this goja.Value, args []goja.Value, name string)) {
	proto := r.vm.Get(class).ToObject(r.vm).Get("prototype").ToObject(r.vm)
	original, ok := goja.AssertFunction(proto.Get(name))
	if !ok {
		return
	}
	_ = proto.DefineDataProperty(name, r.function(name, func(call goja.FunctionCall) goja.Value {
		args := slices.Clone(call.Arguments)
		this := call.This
		if class == "String" && !goja.IsUndefined(this) && !goja.IsNull(this) {
			this = this.ToString() // only once, because a script can observe it
		}
		fits(this, args, name)
		return r.passOn(original(this, args...))
	}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// passOn returns a value, or throws a thrown value.
func (r *realm) passOn(v goja.Value, err error) goja.Value {
	if thrown, ok := err.(*goja.Exception); ok { //nolint:errorlint // goja wraps it in nothing
		panic(thrown.Value())
	}
	if err != nil {
		panic(err)
	}
	return v
}

// textFits limits repeat, padStart and padEnd.
func (r *realm) textFits(this goja.Value, args []goja.Value, name string) {
	text, ok := this.(goja.String)
	if !ok || len(args) == 0 {
		return
	}
	args[0] = args[0].ToNumber()
	n := args[0].ToFloat()
	if name == "repeat" {
		n *= float64(text.Length())
	}
	if n > mostChars {
		r.tooMuch(name)
	}
}

// arrayFits limits join of an array whose length exceeds its number of elements, and
// methods that fill or copy an array.
func (r *realm) arrayFits(this goja.Value, args []goja.Value, name string) {
	length := r.lengthOf(this)
	if name == "join" || name == "toString" {
		separator := 1.0
		if len(args) > 0 && !goja.IsUndefined(args[0]) {
			s := args[0].ToString()
			args[0] = s
			if text, ok := s.(goja.String); ok {
				separator = float64(text.Length())
			}
		}
		if length*max(separator, 1) > mostChars {
			r.tooMuch(name)
		}
		return
	}
	if length > mostElements {
		r.tooMuch(name)
	}
}

// lengthOf returns the length of an array or array-like object, or 0.
func (r *realm) lengthOf(v goja.Value) float64 {
	o, ok := v.(*goja.Object)
	if !ok {
		return 0
	}
	length := o.Get("length")
	if length == nil {
		return 0
	}
	return length.ToFloat()
}

// boundFrom replaces Array.from, which creates an array from any object with a length.
func (r *realm) boundFrom() {
	array := r.vm.Get("Array").ToObject(r.vm)
	original, ok := goja.AssertFunction(array.Get("from"))
	if !ok {
		return
	}
	_ = array.DefineDataProperty("from", r.function("from", func(call goja.FunctionCall) goja.Value {
		if r.lengthOf(call.Argument(0)) > mostElements {
			r.tooMuch("Array.from")
		}
		return r.passOn(original(call.This, call.Arguments...))
	}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// boundBuffer replaces the constructor of a buffer or a typed array by a function that
// checks the requested length.
func (r *realm) boundBuffer(name string, size int64) {
	original := r.vm.Get(name).ToObject(r.vm)
	construct, ok := goja.AssertFunction(r.vm.Get("Reflect").ToObject(r.vm).Get("construct"))
	if !ok {
		return
	}
	proxy := r.vm.NewProxy(original, &goja.ProxyTrapConfig{
		Construct: func(target *goja.Object, args []goja.Value, newTarget *goja.Object) *goja.Object {
			if len(args) > 0 {
				n := r.lengthOf(args[0])
				if _, ok := args[0].(*goja.Object); !ok {
					n = args[0].ToFloat()
				}
				if n*float64(size) > mostBytes {
					r.tooMuch("new " + name)
				}
			}
			return r.passOn(construct(goja.Undefined(), target, r.vm.NewArray(anys(args)...), newTarget)).ToObject(r.vm)
		},
	})
	v := r.vm.ToValue(proxy)
	r.instancesOf(original, v)
	_ = original.Get("prototype").ToObject(r.vm).DefineDataProperty("constructor", v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = r.vm.GlobalObject().DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// instancesOf makes instanceof accept the replacement of a constructor: goja requires a
// function there.
func (r *realm) instancesOf(original *goja.Object, proxy goja.Value) {
	inherited, ok := goja.AssertFunction(original.GetSymbol(goja.SymHasInstance))
	if !ok {
		return
	}
	_ = original.DefineDataPropertySymbol(goja.SymHasInstance, r.function("[Symbol.hasInstance]", func(call goja.FunctionCall) goja.Value {
		this := call.This
		if this.SameAs(proxy) {
			this = original
		}
		return r.passOn(inherited(this, call.Arguments...))
	}), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

func anys(values []goja.Value) []any {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all
}

// isAllocator reports whether a name is that of a limited function.
func isAllocator(name string) bool {
	_, buffer := buffers[name]
	return buffer || name == "concat" || name == "apply" || slices.Contains(growingText, name) || slices.Contains(growingArrays, name)
}

// bigIntPrefix begins the names of the functions that replace operators; no source can
// contain it.
const bigIntPrefix = "%bigint "

func isBigIntOperator(name string) bool { return strings.HasPrefix(name, bigIntPrefix) }
