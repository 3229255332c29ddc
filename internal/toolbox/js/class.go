package js

import (
	"reflect"
	"slices"
	"sync"

	"github.com/dop251/goja"
)

// class is a class of objects, such as URL, whose state is a Go value. Attributes come
// from the value; methods are on a prototype that creates each when a script first
// names it.
type class[T state] struct {
	name string
	// construct creates the value of a new object. It throws by panicking.
	construct func(*realm, goja.FunctionCall) T
	// method returns the method of that name, nil if there is none.
	method func(name string) func(T, goja.FunctionCall) goja.Value
	// iterator names the method for Symbol.iterator, if there is one.
	iterator string
}

// state is the value behind an object.
type state interface {
	// attribute returns the attribute of that name, nil if there is none.
	attribute(name string) goja.Value
	// assign sets an attribute, or reports that it cannot be set.
	assign(name string, v goja.Value) bool
	// attributes lists the names of all attributes.
	attributes() []string
}

// bare is embedded by a state without attributes.
type bare struct{}

func (bare) attribute(string) goja.Value    { return nil }
func (bare) assign(string, goja.Value) bool { return false }
func (bare) attributes() []string           { return nil }

// fixed is embedded by a state whose attributes cannot be set.
type fixed struct{}

func (fixed) assign(string, goja.Value) bool { return false }

// shim wraps a construct function in a JavaScript class. goja does not tell a Go
// function whether it was called with new; a JavaScript class knows.
var shim = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("", `(function (name, construct) {
		return {[name]: class { constructor(...args) { return construct(new.target.prototype, ...args) } }}[name]
	})`, true)
})

// on creates the constructor.
func (c class[T]) on(r *realm) *goja.Object {
	construct := r.function(c.name, func(call goja.FunctionCall) goja.Value {
		proto, ok := call.Argument(0).(*goja.Object)
		if !ok {
			panic(r.vm.NewTypeError("the prototype of %s is not an object", c.name))
		}
		call.Arguments = call.Arguments[1:]
		return r.instance(c.construct(r, call), proto)
	})
	v, err := r.vm.RunProgram(shim())
	if err != nil {
		panic(err)
	}
	makes, _ := goja.AssertFunction(v)
	if v, err = makes(goja.Undefined(), r.vm.ToValue(c.name), construct); err != nil {
		panic(err)
	}
	constructor := v.ToObject(r.vm)
	proto := constructor.Get("prototype").ToObject(r.vm)
	_ = proto.SetPrototype(c.prototype(r)) // it fails only for a cycle
	if c.iterator != "" {
		_ = proto.SetSymbol(goja.SymIterator, c.member(r, c.iterator))
	}
	return constructor
}

// prototype holds the methods.
func (c class[T]) prototype(r *realm) *goja.Object {
	return r.vm.NewDynamicObject(&lazy{make: func(name string) goja.Value { return c.member(r, name) }})
}

func (c class[T]) member(r *realm, name string) goja.Value {
	f := c.method(name)
	if f == nil {
		return nil
	}
	return r.function(name, func(call goja.FunctionCall) goja.Value {
		value, ok := valueOf[T](call.This)
		if !ok {
			panic(r.vm.NewTypeError("%s.%s was called on something else", c.name, name))
		}
		return f(value, call)
	})
}

// make creates an object of the class behind a global.
func (r *realm) make(global string, value state) *goja.Object {
	return r.instance(value, r.globals.Get(global).ToObject(r.vm).Get("prototype").ToObject(r.vm))
}

func (r *realm) instance(value state, proto *goja.Object) *goja.Object {
	obj := r.vm.NewDynamicObject(&instance{state: value})
	_ = obj.SetPrototype(proto) // it fails only for a cycle
	return obj
}

// valueOf returns the Go value behind v, if it is an object of the class of T.
func valueOf[T state](v goja.Value) (value T, ok bool) {
	obj, ok := v.(*goja.Object)
	if !ok || obj.ExportType() != instanceType {
		return value, false
	}
	value, ok = obj.Export().(*instance).state.(T)
	return value, ok
}

// instance is an object of a class.
type instance struct {
	state

	own map[string]goja.Value // properties set by a script
}

var instanceType = reflect.TypeFor[*instance]()

func (i *instance) Get(name string) goja.Value {
	if v := i.attribute(name); v != nil {
		return v
	}
	return i.own[name]
}

func (i *instance) Set(name string, v goja.Value) bool {
	if slices.Contains(i.attributes(), name) {
		return i.assign(name, v)
	}
	if i.own == nil {
		i.own = map[string]goja.Value{}
	}
	i.own[name] = v
	return true
}

func (i *instance) Has(name string) bool {
	_, ok := i.own[name]
	return ok || slices.Contains(i.attributes(), name)
}

func (i *instance) Delete(name string) bool {
	delete(i.own, name)
	return !slices.Contains(i.attributes(), name)
}

func (i *instance) Keys() []string {
	names := slices.Clone(i.attributes())
	for name := range i.own {
		names = append(names, name)
	}
	slices.Sort(names[len(i.attributes()):])
	return names
}
