package js

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/helve-dev/helve/tool"
)

// maxCallStack is how deep functions may call each other.
const maxCallStack = 2000

// realm is one runtime and the task it serves. All but the host's work happens
// on the goroutine of Run.
type realm struct {
	vm   *goja.Runtime
	ctx  context.Context
	task *Task

	// The functions of JSON as they were before the script could change them.
	parseJSON, stringify goja.Callable

	loop
	journal
	globals  lazy
	env      *goja.Object
	failures map[*goja.Object]*tool.Error // what the host failed with, by what the script sees
	files    map[string]string            // head by name of every program that runs here
	libs     map[string]*library
	loading  []string // libraries that are being evaluated
}

func newRealm(ctx context.Context, t *Task) *realm {
	r := &realm{vm: goja.New(), ctx: ctx, task: t}
	r.files = map[string]string{t.Program.Name: t.Program.head}
	r.vm.SetParserOptions(parser.WithDisableSourceMaps)
	r.vm.SetMaxCallStackSize(maxCallStack)
	r.vm.SetPromiseRejectionTracker(r.track)
	if t.Now != nil {
		r.vm.SetTimeSource(t.Now)
	}
	r.takeJSON()
	r.globals = lazy{make: r.bridge}
	_ = r.vm.GlobalObject().SetPrototype(r.vm.NewDynamicObject(&r.globals)) // fails only for a cycle
	return r
}

// body says that the task runs the body of a function, which somebody wrote who
// is not the operator.
func (r *realm) body() bool { return r.task.Program.head == bodyHead }

// function makes a function that a script can call; name is all that a stack
// shows of it.
func (r *realm) function(name string, f func(goja.FunctionCall) goja.Value) goja.Value {
	v := r.vm.ToValue(f).ToObject(r.vm)
	_ = v.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return v
}

// encode writes what the host is asked.
func encode(op Op, args any) (json.RawMessage, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, tool.Fail(tool.ExecutionError, "the arguments of %s cannot be encoded", op).Because(err)
	}
	return raw, nil
}

// do has the host do something and waits. What a host panics with becomes an
// error.
func (r *realm) do(ctx context.Context, op Op, args json.RawMessage) (answer json.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			answer, err = nil, tool.Fail(tool.ExecutionError, "%s failed", op).Because(fmt.Errorf("panic: %v", v))
		}
	}()
	return r.task.Host.Do(ctx, op, args)
}

// ask has the host do something while the script waits. A failure is thrown.
func (r *realm) ask(op Op, args any) json.RawMessage {
	raw, err := encode(op, args)
	if err == nil {
		raw, err = r.do(r.ctx, op, raw)
	}
	if err != nil {
		panic(r.failure(err))
	}
	return raw
}

// start has the host do something while the script goes on. It returns the
// promise of what value makes of the answer, on the goroutine of the script;
// what value throws rejects the promise.
func (r *realm) start(op Op, args any, value func(json.RawMessage) goja.Value) goja.Value {
	promise, resolve, reject := r.vm.NewPromise()
	raw, err := encode(op, args)
	r.background(func() func() error {
		var answer json.RawMessage
		if err == nil {
			answer, err = r.do(r.ctx, op, raw)
		}
		return func() error {
			if err != nil {
				return reject(r.failure(err))
			}
			var v goja.Value
			if thrown := r.vm.Try(func() { v = value(answer) }); thrown != nil {
				return reject(thrown.Value())
			}
			return resolve(v)
		}
	})
	return r.vm.ToValue(promise)
}

// end cancels what the host still does for the script and waits for it. Then
// nothing of the run is left.
func (r *realm) end(cancel context.CancelFunc) {
	cancel()
	r.running.Wait()
	r.journal.flush()
}
