package js

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"github.com/dop251/goja"
)

// maxText bounds a text that a function of utils takes, in UTF-16 units: what is
// done natively cannot be interrupted.
const maxText = 8 << 20

// utils makes the object of helpers that a function body gets as its third
// argument. A helper is made when it is first named; a script cannot change it.
func (r *realm) utils() goja.Value {
	t := &toolbox{r: r, loaded: map[string]*goja.Object{}}
	return r.vm.NewDynamicObject(&lazy{make: t.make, names: helperNames()})
}

// toolbox is where the helpers of one runtime come from.
type toolbox struct {
	r      *realm
	loaded map[string]*goja.Object // what scripts returned, by source
}

// row holds helpers written in Go, by name: a row of the table in the docs.
type row map[string]func(use) goja.Value

// written are the helpers written in Go.
var written = func() row {
	all := row{}
	for _, r := range []row{configRow, callRow, hashRow, encodingRow, textRow, validationRow, randomRow, csvRow, passwordRow} {
		maps.Copy(all, r)
	}
	return all
}()

// scripted holds helpers that handle values and callbacks of the script, written in
// its language: so they can be interrupted.
type scripted struct {
	names   []string
	source  string
	program func() *goja.Program // yields a function of native that returns them
}

func newScripted(source string, names ...string) scripted {
	return scripted{names, source, sync.OnceValue(func() *goja.Program { return goja.MustCompile("<utils>", source, true) })}
}

var (
	//go:embed utils_arrays.js
	arraysSource string
	//go:embed utils_calls.js
	callsSource string
	//go:embed utils_data.js
	dataSource string
	//go:embed utils_dates.js
	datesSource string
	//go:embed utils_maths.js
	mathsSource string
)

// scripts are the helpers written in JavaScript.
var scripts = []scripted{
	newScripted(arraysSource, "unique", "chunk", "shuffle", "sample", "groupBy"),
	newScripted(callsSource, "callTool"),
	newScripted(dataSource, "parseJson", "toJson", "flatten", "getPath"),
	newScripted(datesSource, "now", "timestamp", "dateDiff", "dateAdd", "formatDate"),
	newScripted(mathsSource, "clamp", "round", "sum", "avg"),
}

// make returns the helper of that name, or nil.
func (t *toolbox) make(name string) goja.Value {
	if f, ok := written[name]; ok {
		return t.r.helper(name, f)
	}
	for _, s := range scripts {
		if slices.Contains(s.names, name) {
			return t.load(s).Get(name)
		}
	}
	return nil
}

// load runs a script, if that was not done, and returns its helpers.
func (t *toolbox) load(s scripted) *goja.Object {
	if helpers, ok := t.loaded[s.source]; ok {
		return helpers
	}
	native := t.r.vm.NewObject()
	for name, f := range nativeRow {
		_ = native.Set(name, t.r.helper(name, f)) // a plain object takes it
	}
	v, err := t.r.vm.RunProgram(s.program())
	if err == nil {
		load, _ := goja.AssertFunction(v)
		v, err = load(goja.Undefined(), native)
	}
	if err != nil {
		panic(err) // interrupted, or the tool has changed what the script stands on
	}
	t.loaded[s.source] = v.(*goja.Object) //nolint:forcetypeassert // our own scripts return one
	return t.loaded[s.source]
}

// nativeRow is what scripts get, and tools do not.
var nativeRow = row{"random": randomBelow, "send": sendCall}

// helperNames are the names of all helpers, sorted.
var helperNames = sync.OnceValue(func() []string {
	names := slices.Collect(maps.Keys(written))
	for _, s := range scripts {
		names = append(names, s.names...)
	}
	slices.Sort(names)
	return names
})
