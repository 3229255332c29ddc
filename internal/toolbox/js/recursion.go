package js

import (
	"reflect"
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
)

// goja recurses on the stack of Go where a script makes a chain of objects, or an object a
// part of itself: a generator that delegates to itself, flat of an array in itself, a proxy
// of a proxy. No limit of the runtime sees that, and an overflow of Go's stack ends the
// process. So the functions that make or follow such chains are replaced by functions that
// count.

// maxChain bounds the length of such chains.
const maxChain = 1000

// chained maps the names that show that a program may make chains to what then is replaced.
var chained = map[string]func(*realm){
	"yield": (*realm).boundGenerators, "flat": (*realm).boundFlat, "toLocaleString": (*realm).boundLocale, "bind": (*realm).boundBind,
	"create": (*realm).boundPrototypes, "setPrototypeOf": (*realm).boundPrototypes, "__proto__": (*realm).boundPrototypes,
	"Proxy": (*realm).boundProxies,
}

// chainsIn returns the names of chained that a program uses.
func chainsIn(tree *ast.Program) (names []string) {
	add := func(name string) {
		if chained[name] != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	eachNode(reflect.ValueOf(tree.Body), func(n any) bool {
		switch n := n.(type) {
		case *ast.YieldExpression:
			add("yield")
		case *ast.DotExpression:
			add(string(n.Identifier.Name))
		case *ast.Identifier:
			add(string(n.Name))
		case *ast.PropertyShort:
			add(string(n.Name.Name))
		case *ast.StringLiteral:
			add(string(n.Value))
		}
		return true
	})
	return names
}

// chains counts the chains of a runtime.
type chains struct {
	replaced map[string]bool               // of chained
	nested   int                           // calls that go on
	depth    map[*goja.Object]int          // of proxies and bound functions
	target   map[*goja.Object]*goja.Object // of proxies
}

// boundChains replaces the functions that a program names, or all if it may reach some
// without naming them.
func (r *realm) boundChains(p *Program) {
	for name, replace := range chained {
		if (p.reach != shown || slices.Contains(p.chains, name)) && !r.chains.replaced[name] {
			if r.chains.replaced == nil {
				r.chains = chains{replaced: map[string]bool{}, depth: map[*goja.Object]int{}, target: map[*goja.Object]*goja.Object{}}
			}
			r.chains.replaced[name] = true
			replace(r)
		}
	}
}

// tooDeep throws the error of a chain that is too long.
func (r *realm) tooDeep(what string) {
	panic(r.error("RangeError", what+" nest too deeply; keep them in a list, and go through it with a loop"))
}

// replace replaces a method of an object, unless it is none.
func (r *realm) replace(o *goja.Object, name string, by func(call goja.FunctionCall, original goja.Callable) goja.Value) {
	original, ok := goja.AssertFunction(o.Get(name))
	if !ok {
		return
	}
	_ = o.DefineDataProperty(name, r.function(name, func(call goja.FunctionCall) goja.Value { return by(call, original) }), goja.FLAG_TRUE,
		goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// counted calls a method that may lead to itself by way of other objects.
func (r *realm) counted(what string) func(goja.FunctionCall, goja.Callable) goja.Value {
	return func(call goja.FunctionCall, original goja.Callable) goja.Value {
		if r.chains.nested >= maxChain {
			r.tooDeep(what)
		}
		r.chains.nested++
		defer func() { r.chains.nested-- }()
		return r.passOn(original(call.This, call.Arguments...))
	}
}

// prototypeOf returns the prototype property of a global constructor.
func (r *realm) prototypeOf(class string) *goja.Object {
	return r.vm.Get(class).ToObject(r.vm).Get("prototype").ToObject(r.vm)
}

// generators yields the object that all generators inherit from.
var generators = goja.MustCompile("", "Object.getPrototypeOf(function*(){}).prototype", false)

func (r *realm) boundGenerators() {
	v, err := r.vm.RunProgram(generators)
	if err != nil {
		return
	}
	for _, name := range []string{"next", "return", "throw"} {
		r.replace(v.ToObject(r.vm), name, r.counted("generators"))
	}
}

func (r *realm) boundLocale() {
	r.replace(r.prototypeOf("Array"), "toLocaleString", r.counted("arrays"))
}

func (r *realm) boundFlat() {
	r.replace(r.prototypeOf("Array"), "flat", func(call goja.FunctionCall, original goja.Callable) goja.Value {
		depth := call.Argument(0)
		if goja.IsUndefined(depth) || depth.ToFloat() <= maxChain {
			return r.passOn(original(call.This, depth))
		}
		flat := r.passOn(original(call.This, r.vm.ToValue(maxChain))).ToObject(r.vm)
		for i := range int64(r.lengthOf(flat)) {
			if o, ok := flat.Get(r.vm.ToValue(i).String()).(*goja.Object); ok && o.ClassName() == "Array" {
				r.tooDeep("arrays")
			}
		}
		return flat
	})
}

// link records an object that passes what is done with it to others.
func (r *realm) link(what string, o *goja.Object, to ...goja.Value) {
	depth := 1
	for _, v := range to {
		if other, ok := v.(*goja.Object); ok {
			depth = max(depth, r.chains.depth[other]+1)
		}
	}
	if depth > maxChain {
		r.tooDeep(what)
	}
	r.chains.depth[o] = depth
}

func (r *realm) boundBind() {
	r.replace(r.prototypeOf("Function"), "bind", func(call goja.FunctionCall, original goja.Callable) goja.Value {
		v := r.passOn(original(call.This, call.Arguments...))
		r.link("bound functions", v.ToObject(r.vm), append([]goja.Value{call.This}, call.Arguments...)...)
		return v
	})
}

func (r *realm) boundProxies() {
	proxies := r.vm.Get("Proxy").ToObject(r.vm)
	construct, ok := goja.AssertFunction(r.vm.Get("Reflect").ToObject(r.vm).Get("construct"))
	if !ok {
		return
	}
	made := func(proxy *goja.Object, args []goja.Value) {
		r.link("proxies", proxy, args...)
		if len(args) > 0 {
			r.chains.target[proxy], _ = args[0].(*goja.Object)
		}
	}
	r.replace(proxies, "revocable", func(call goja.FunctionCall, original goja.Callable) goja.Value {
		v := r.passOn(original(call.This, call.Arguments...))
		made(v.ToObject(r.vm).Get("proxy").ToObject(r.vm), call.Arguments)
		return v
	})
	v := r.vm.ToValue(r.vm.NewProxy(proxies, &goja.ProxyTrapConfig{
		Construct: func(target *goja.Object, args []goja.Value, newTarget *goja.Object) *goja.Object {
			proxy := r.passOn(construct(goja.Undefined(), target, r.vm.NewArray(anys(args)...))).ToObject(r.vm)
			made(proxy, args)
			return proxy
		},
	}))
	_ = r.vm.GlobalObject().DefineDataProperty("Proxy", v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	r.boundPrototypes()
}

// boundPrototypes refuses a chain of prototypes that is too long, or that leads to its own
// beginning by way of a proxy.
func (r *realm) boundPrototypes() {
	if r.chains.replaced["prototypes"] {
		return
	}
	r.chains.replaced["prototypes"] = true
	object := r.vm.Get("Object").ToObject(r.vm)
	r.replace(object, "create", func(call goja.FunctionCall, original goja.Callable) goja.Value {
		r.checkPrototypes(nil, call.Argument(0))
		return r.passOn(original(call.This, call.Arguments...))
	})
	for _, of := range []*goja.Object{object, r.vm.Get("Reflect").ToObject(r.vm)} {
		r.replace(of, "setPrototypeOf", func(call goja.FunctionCall, original goja.Callable) goja.Value {
			r.checkPrototypes(call.Argument(0), call.Argument(1))
			return r.passOn(original(call.This, call.Arguments...))
		})
	}
	set, ok := goja.AssertFunction(object.Get("setPrototypeOf"))
	if !ok {
		return
	}
	getter := r.function("get __proto__", func(call goja.FunctionCall) goja.Value {
		if proto := call.This.ToObject(r.vm).Prototype(); proto != nil {
			return proto
		}
		return goja.Null()
	})
	setter := r.function("set __proto__", func(call goja.FunctionCall) goja.Value {
		proto := call.Argument(0)
		if _, ok := proto.(*goja.Object); ok || goja.IsNull(proto) {
			if this, ok := call.This.(*goja.Object); ok {
				_ = r.passOn(set(object, this, proto))
			}
		}
		return goja.Undefined()
	})
	_ = r.prototypeOf("Object").DefineAccessorProperty("__proto__", getter, setter, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

func (r *realm) checkPrototypes(of, proto goja.Value) {
	start, _ := of.(*goja.Object)
	at, _ := proto.(*goja.Object)
	for n := 0; at != nil; n++ {
		if n > maxChain {
			r.tooDeep("prototypes")
		}
		if at == start {
			panic(r.vm.NewTypeError("Cyclic __proto__ value"))
		}
		if target, ok := r.chains.target[at]; ok {
			at = target
			continue
		}
		at = at.Prototype()
	}
}
