package js

import (
	"context"
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// Run runs a task until it ends or ctx ends. The value is JSON: the result of the
// script, "" for undefined and null. The error is a *tool.Error: an error that the
// script threw is an execution_error, unless it is a failure of the host, which keeps
// its kind. The end of ctx is a timeout, or cancelled.
//
// Run returns when the script and all work of the host for it have ended.
func Run(ctx context.Context, t *Task) (value json.RawMessage, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	run, unguard := t.Meter.guard(cancel)
	defer unguard()
	r := newRealm(ctx, t)
	r.metered = run
	defer r.end(func() { cancel(nil) })
	if ctx.Err() != nil {
		return nil, r.ended()
	}
	stop := context.AfterFunc(ctx, func() { r.vm.Interrupt(ctx.Err()) })
	defer stop()
	value, err = r.outcome()
	if r.program != nil && ctx.Err() == nil {
		if failed := r.program.end(); failed != nil {
			return nil, r.explain(failed)
		}
	}
	return value, err
}

// outcome runs the task, and converts any error of it.
func (r *realm) outcome() (value json.RawMessage, err error) {
	// goja does not recover some panics, such as that of a promise of a subclass that
	// throws when it is settled.
	defer func() {
		if v := recover(); v != nil {
			value, err = nil, r.explain(recovered(v))
		}
	}()
	if value, err = r.run(); err != nil {
		if r.program != nil {
			r.program.failedBy(err)
		}
		value, err = nil, r.explain(err)
	}
	r.leftovers(err == nil)
	return value, err
}

func (r *realm) run() (json.RawMessage, error) {
	// Created before the script can replace the constructor.
	args, err := r.arguments()
	if err != nil {
		return nil, err
	}
	f, err := r.entry()
	if err != nil {
		return nil, err
	}
	v, err := f(goja.Undefined(), args...)
	if err != nil {
		return nil, err
	}
	if v, err = r.await(v); err != nil {
		return nil, err
	}
	return r.encode(v)
}

// arguments returns those of an operator's function, or of a body.
func (r *realm) arguments() ([]goja.Value, error) {
	v, err := r.parse(r.task.Args)
	if err != nil {
		return nil, err
	}
	if r.program != nil {
		return r.program.arguments(v)
	}
	args, ok := v.(*goja.Object)
	if !ok {
		return nil, tool.Fail(tool.ValidationError, "the arguments must be an object")
	}
	if r.body() {
		return []goja.Value{args, r.context(), r.utils()}, nil
	}
	r.env = r.environment()
	// Not enumerable, so that copies and printouts of the arguments contain no secrets.
	err = args.DefineDataProperty("_env", r.env, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	return []goja.Value{args}, err
}

// context returns the context argument of a body.
func (r *realm) context() goja.Value {
	c := r.vm.NewObject()
	for _, p := range [][2]string{
		{"toolName", r.task.Context.ToolName},
		{"callId", r.task.Context.CallID},
		{"conversationId", r.task.Context.ConversationID},
		{"userId", r.task.Context.UserID},
	} {
		_ = c.Set(p[0], p[1])
	}
	return c
}

// environment returns a copy of the declared values that a script cannot change.
func (r *realm) environment() *goja.Object {
	env := r.vm.NewObject()
	if len(r.task.Env) == 0 {
		return env
	}
	for name, value := range r.task.Env {
		_ = env.Set(name, value)
	}
	r.freeze(env)
	return env
}

// freeze makes an object unchangeable.
func (r *realm) freeze(o *goja.Object) {
	if r.freezes == nil { // the first object is frozen before the script runs
		object := r.vm.Get("Object").ToObject(r.vm)
		r.freezes, _ = goja.AssertFunction(object.Get("freeze"))
	}
	_, _ = r.freezes(goja.Undefined(), o)
}

// entry runs the program and returns the function to call.
func (r *realm) entry() (goja.Callable, error) {
	v, err := r.vm.RunProgram(r.task.Program.run)
	if err != nil {
		return nil, err
	}
	if !r.body() {
		entry, err := r.task.Program.entry(r.task.Function)
		if err != nil {
			return nil, err
		}
		if v, err = r.vm.RunProgram(entry); err != nil {
			return nil, err
		}
	}
	f, ok := goja.AssertFunction(v)
	if !ok {
		return nil, tool.Fail(tool.ExecutionError, "%s in %s is not a function", r.task.Function, r.task.Program.Name)
	}
	return f, nil
}
