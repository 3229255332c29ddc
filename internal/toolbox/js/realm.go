package js

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/helve-dev/helve/tool"
)

// maxCallStack limits the depth of function calls.
const maxCallStack = 2000

// realm is one runtime and the task it serves. Everything except the host's work
// happens on the goroutine of Run.
type realm struct {
	vm   *goja.Runtime
	ctx  context.Context
	task *Task

	metered *metered // nil without a meter

	// The functions of JSON before the script could change them.
	parseJSON, stringify goja.Callable
	freezes              goja.Callable // Object.freeze, once it was needed

	loop
	journal
	globals  lazy
	env      *goja.Object
	failures map[*goja.Object]*tool.Error // errors of the host, by the objects that the script sees
	files    map[string]string            // head by name of every program that runs here
	libs     map[string]*library
	chains   chains
	bounded  []string   // names of functions that check their allocation
	reach    reach      // of the programs that run here
	loading  []string   // libraries that are being evaluated
	program  *coroutine // nil unless the task is a run of a program
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
	if t.Durable != nil {
		r.program = newCoroutine(r, t.Durable)
	}
	r.takeJSON()
	r.globals = lazy{make: r.bridge}
	_ = r.vm.GlobalObject().SetPrototype(r.vm.NewDynamicObject(&r.globals)) // it fails only for a cycle
	r.bound(t.Program)
	return r
}

// body reports whether the task runs the body of a function, which the operator did not
// write.
func (r *realm) body() bool { return isBody(r.task.Program.head) }

// function creates a function that a script can call; a stack shows only name.
func (r *realm) function(name string, f func(goja.FunctionCall) goja.Value) goja.Value {
	v := r.vm.ToValue(f).ToObject(r.vm)
	_ = v.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return v
}

// encode encodes a request to the host.
func encode(op Op, args any) (json.RawMessage, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, tool.Fail(tool.ExecutionError, "the arguments of %s cannot be encoded", op).Because(err)
	}
	return raw, nil
}

// do sends a request to the host and waits. A panic of the host becomes an error.
func (r *realm) do(ctx context.Context, req Request) (answer Answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			answer, err = Answer{}, tool.Fail(tool.ExecutionError, "%s failed", req.Op).Because(fmt.Errorf("panic: %v", v))
		}
	}()
	return Ask(ctx, r.task.Host, req)
}

// ask sends a request to the host while the script waits. body belongs to the
// arguments. A failure is thrown.
func (r *realm) ask(op Op, args any, body []byte) Answer {
	var answer Answer
	raw, err := encode(op, args)
	if err == nil {
		answer, err = r.do(r.ctx, Request{Op: op, Args: raw, Body: body})
	}
	if err != nil {
		panic(r.failure(err))
	}
	answer.Finish()
	return answer
}

// start sends a request to the host while the script continues. body belongs to the
// arguments and must be a copy of anything that the script can change. It returns a
// promise of the value that value creates from the answer on the goroutine of the
// script. If value throws, the promise is rejected.
func (r *realm) start(op Op, args any, body []byte, value func(Answer) goja.Value) goja.Value {
	promise, resolve, reject := r.vm.NewPromise()
	raw, err := encode(op, args)
	r.background(func() func() error {
		var answer Answer
		if err == nil {
			answer, err = r.do(r.ctx, Request{Op: op, Args: raw, Body: body})
		}
		if answer.Done != nil {
			context.AfterFunc(r.ctx, answer.Done) // the script may end before it receives the answer
		}
		return func() error {
			defer answer.Finish()
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

// end cancels the host's pending work for the script and waits for it. Nothing of the
// run remains then.
func (r *realm) end(cancel context.CancelFunc) {
	cancel()
	r.running.Wait()
	r.journal.flush()
}
