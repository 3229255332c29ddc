package js

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// boundAll replaces all functions that allocate by a number, and those that compile
// texts, as far as the program can reach them.
func (r *realm) boundAll(p *Program) {
	if p.reach == shown {
		return
	}
	names := []string{"repeat", "padStart", "padEnd", "join", "fill", "from", "concat", "replace", "replaceAll", "split", "apply"}
	if p.reach == anyhow || slices.Contains(p.bounded, "join") { // it creates arrays of a given length
		names = append(names, "toString", "toReversed", "toSorted", "toSpliced", "with")
	}
	if p.reach == anyhow {
		for name := range buffers {
			names = append(names, name)
		}
	}
	r.boundNames(names)
	if r.reach < p.reach {
		if p.reach == anyhow {
			r.boundReflect()
		}
		r.boundCode(p.reach)
		r.reach = p.reach
	}
}

// kinds yields one function of each kind with a constructor of its own.
var kinds = goja.MustCompile("", "[function(){}, async function(){}, function*(){}]", false)

// heads holds the beginnings of the constructors' results, in the order of kinds.
var heads = []string{"function", "async function", "function*"}

// boundCode makes generated code pass through Compile, as files do, so that its
// operators are checked too. A program that shows neither eval nor Function cannot
// generate code.
//
// Generated code runs in the global scope, even that of eval.
func (r *realm) boundCode(to reach) {
	v, err := r.vm.RunProgram(kinds)
	if err != nil {
		return
	}
	for i, head := range heads {
		proto := v.ToObject(r.vm).Get(string(rune('0' + i))).ToObject(r.vm).Prototype()
		if to == computed {
			_ = proto.DefineDataProperty("constructor", r.function("Function", func(goja.FunctionCall) goja.Value {
				panic(r.error("EvalError", "a script whose source does not name Function cannot make functions of texts; name it"))
			}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
			continue
		}
		r.boundConstructor(proto, head)
	}
	if to == anyhow {
		_ = r.vm.GlobalObject().DefineDataProperty("eval", r.function("eval", func(call goja.FunctionCall) goja.Value {
			source, ok := call.Argument(0).(goja.String)
			if !ok {
				return call.Argument(0)
			}
			return r.made("eval", source.String())
		}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}

// boundConstructor replaces the constructor of one kind of functions.
func (r *realm) boundConstructor(proto *goja.Object, head string) {
	function := r.vm.Get("Function").ToObject(r.vm)
	isFunction := head == heads[0]
	makes := func(args []goja.Value) *goja.Object {
		texts := make([]string, len(args))
		for i, arg := range args {
			texts[i] = arg.String()
		}
		body := ""
		if last := len(texts) - 1; last >= 0 {
			texts, body = texts[:last], texts[last]
		}
		return r.made("Function", "("+head+" anonymous("+strings.Join(texts, ",")+"\n) {\n"+body+"\n})").ToObject(r.vm)
	}
	target := function
	if !isFunction {
		target = proto.Get("constructor").ToObject(r.vm)
	}
	v := r.vm.ToValue(r.vm.NewProxy(target, &goja.ProxyTrapConfig{
		Apply:     func(_ *goja.Object, _ goja.Value, args []goja.Value) goja.Value { return makes(args) },
		Construct: func(_ *goja.Object, args []goja.Value, _ *goja.Object) *goja.Object { return makes(args) },
	}))
	r.instancesOf(target, v)
	_ = proto.DefineDataProperty("constructor", v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	if isFunction {
		_ = r.vm.GlobalObject().DefineDataProperty("Function", v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}

// made runs generated code and returns its value.
func (r *realm) made(name, source string) goja.Value {
	tree, err := parse(name, "", source)
	if err != nil {
		panic(r.error("SyntaxError", err.Error()))
	}
	boundOperators(tree)
	walk(reflect.ValueOf(tree.Body), boundSpread)
	program, err := compileTree(name, "", tree)
	if err != nil {
		panic(r.error("SyntaxError", err.Error()))
	}
	return r.passOn(r.vm.RunProgram(program))
}
