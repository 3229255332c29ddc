package js

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// library is a shared library in one runtime.
type library struct{ offers goja.Value }

// lib is the function lib(name), which returns the exports of a shared library. The
// library is evaluated when it is first named.
func (r *realm) lib(call goja.FunctionCall) goja.Value {
	name, ok := call.Argument(0).(goja.String)
	if !ok {
		panic(r.vm.NewTypeError("lib needs the name of a library"))
	}
	if l, ok := r.libs[name.String()]; ok {
		return l.offers
	}
	return r.load(name.String())
}

func (r *realm) load(name string) goja.Value {
	if slices.Contains(r.loading, name) {
		panic(r.failure(tool.Fail(tool.ExecutionError, "libraries need each other: %s", strings.Join(append(r.loading, name), " → "))))
	}
	p, err := r.task.Lib(name)
	if err == nil && p.head != libHead {
		err = tool.Fail(tool.ExecutionError, "%s is not a library", name)
	}
	if err != nil {
		panic(r.failure(err))
	}
	r.loading = append(r.loading, name)
	defer func() { r.loading = r.loading[:len(r.loading)-1] }()
	r.files[p.Name] = p.head
	r.bound(p)
	offers, err := r.evaluate(p)
	if err != nil {
		panic(err)
	}
	if r.libs == nil {
		r.libs = map[string]*library{}
	}
	r.libs[name] = &library{offers}
	return offers
}

// evaluate runs a library and returns its module.exports.
func (r *realm) evaluate(p *Program) (goja.Value, error) {
	v, err := r.vm.RunProgram(p.run)
	if err != nil {
		return nil, err
	}
	f, ok := goja.AssertFunction(v)
	if !ok {
		return nil, tool.Fail(tool.ExecutionError, "%s is not a library", p.Name)
	}
	module, exports := r.vm.NewObject(), r.vm.NewObject()
	_ = module.Set("exports", exports)
	if _, err := f(exports, exports, module); err != nil {
		return nil, err
	}
	return module.Get("exports"), nil
}
