package js

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"github.com/dop251/goja"
)

// maxText limits the texts for functions of utils, in UTF-16 units, because native code
// cannot be interrupted.
const maxText = 8 << 20

// utils creates the object of helpers that is the third argument of a function body. A
// helper is created when it is first named; a script cannot change it.
func (r *realm) utils() goja.Value {
	t := &toolbox{r: r, loaded: map[string]*goja.Object{}}
	return r.vm.NewDynamicObject(&lazy{make: t.make, names: helperNames()})
}

// toolbox holds the sources of the helpers of one runtime.
type toolbox struct {
	r      *realm
	loaded map[string]*goja.Object // results of scripts, by source
}

// row holds helpers written in Go, by name: a row of the table in the docs.
type row map[string]func(use) goja.Value

// written lists the helpers written in Go.
var written = func() row {
	all := row{}
	for _, r := range []row{configRow, callRow, hashRow, encodingRow, textRow, validationRow, randomRow, csvRow, passwordRow} {
		maps.Copy(all, r)
	}
	return all
}()

// scripted holds helpers that handle values and callbacks of the script. They are
// written in JavaScript, so that they can be interrupted.
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

// scripts lists the helpers written in JavaScript.
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

// load runs a script once and returns its helpers.
func (t *toolbox) load(s scripted) *goja.Object {
	if helpers, ok := t.loaded[s.source]; ok {
		return helpers
	}
	native := t.r.vm.NewObject()
	for name, f := range nativeRow {
		_ = native.Set(name, t.r.helper(name, f)) // a plain object accepts it
	}
	v, err := t.r.vm.RunProgram(s.program())
	if err == nil {
		load, _ := goja.AssertFunction(v)
		v, err = load(goja.Undefined(), native)
	}
	if err != nil {
		panic(err) // interrupted, or the tool has changed the globals that the script uses
	}
	t.loaded[s.source] = v.(*goja.Object) //nolint:forcetypeassert // our own scripts return one
	return t.loaded[s.source]
}

// nativeRow holds functions for the helper scripts, which tools do not get.
var nativeRow = row{"random": randomBelow, "send": sendCall}

// Helpers returns the names of all helpers of utils, sorted.
func Helpers() []string { return slices.Clone(helperNames()) }

// helperNames returns the names of all helpers, sorted.
var helperNames = sync.OnceValue(func() []string {
	names := slices.Collect(maps.Keys(written))
	for _, s := range scripts {
		names = append(names, s.names...)
	}
	slices.Sort(names)
	return names
})
