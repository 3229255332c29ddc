package js

import (
	"strings"

	"github.com/dop251/goja"
)

// joinsFit limits concat of texts and of arrays.
func (r *realm) joinsFit(this goja.Value, args []goja.Value, name string) {
	if text, ok := this.(goja.String); ok {
		total := float64(text.Length())
		for i, arg := range args {
			args[i] = arg.ToString() // only once, because a script can observe it
			if s, ok := args[i].(goja.String); ok {
				total += float64(s.Length())
			}
		}
		if total > mostChars {
			r.tooMuch(name)
		}
		return
	}
	total := r.lengthOf(this)
	for _, arg := range args {
		total += r.lengthOf(arg)
	}
	if total > mostElements {
		r.tooMuch(name)
	}
}

// listFits limits apply with a list of arguments, or an array-like object.
func (r *realm) listFits(_ goja.Value, args []goja.Value, name string) {
	if len(args) > 1 && r.lengthOf(args[len(args)-1]) > mostElements {
		r.tooMuch(name)
	}
}

// splitFits limits split into characters. A pattern may match between any two
// characters as well.
func (r *realm) splitFits(this goja.Value, args []goja.Value, name string) {
	text, ok := this.(goja.String)
	if !ok || len(args) == 0 || text.Length() <= mostElements {
		return
	}
	separator, plain := args[0].(goja.String)
	if plain && separator.Length() == 0 || !plain && text.Length() > mostChars/4 {
		r.tooMuch(name)
	}
}

// replacementFits limits replace and replaceAll with a text. The results of a
// replacement function are collected while the script runs.
func (r *realm) replacementFits(this goja.Value, args []goja.Value, name string) {
	text, ok := this.(goja.String)
	if !ok || len(args) < 2 {
		return
	}
	if _, ok := goja.AssertFunction(args[1]); ok {
		return
	}
	args[1] = args[1].ToString()
	by, ok := args[1].(goja.String)
	if !ok {
		return
	}
	length := float64(text.Length())
	size := float64(by.Length()) + float64(strings.Count(by.String(), "$"))*length // which may refer to the whole match
	if size*(length+1) > mostChars && size*r.matches(text, args[0], name) > mostChars {
		r.tooMuch(name)
	}
}

// matches returns the number of replacements in a text.
func (r *realm) matches(text goja.String, pattern goja.Value, name string) float64 {
	if _, ok := pattern.(*goja.Object); !ok {
		if name == "replace" {
			return 1
		}
		return float64(strings.Count(text.String(), pattern.String()))
	}
	n := 0
	counts := r.function("", func(call goja.FunctionCall) goja.Value {
		n++
		return call.Argument(0)
	})
	replace, ok := goja.AssertFunction(r.vm.Get("String").ToObject(r.vm).Get("prototype").ToObject(r.vm).Get(name))
	if !ok {
		return 0
	}
	r.passOn(replace(text, pattern, counts))
	return float64(n)
}

// boundReflect limits the argument lists of Reflect.
func (r *realm) boundReflect() {
	object := r.vm.Get("Reflect").ToObject(r.vm)
	for _, name := range []string{"apply", "construct"} {
		original, ok := goja.AssertFunction(object.Get(name))
		if !ok {
			continue
		}
		_ = object.DefineDataProperty(name, r.function(name, func(call goja.FunctionCall) goja.Value {
			list := call.Argument(2)
			if name == "construct" {
				list = call.Argument(1)
			}
			if r.lengthOf(list) > mostElements {
				r.tooMuch("Reflect." + name)
			}
			return r.passOn(original(call.This, call.Arguments...))
		}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}

// spreadList is the name of the function that checks the length of a spread; no source
// can contain it.
const spreadList = "%spread"

// checkedSpread returns the operand of a spread, or throws.
func (r *realm) checkedSpread(call goja.FunctionCall) goja.Value {
	v := call.Argument(0)
	if o, ok := v.(*goja.Object); ok && o.ClassName() == "Array" && r.lengthOf(o) > mostElements {
		r.tooMuch("a list of this length")
	}
	return v
}
