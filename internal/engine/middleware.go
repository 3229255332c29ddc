package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/helve-dev/helve/tool"
)

// middleware runs the middleware of the worker's program around everything that judges
// the arguments, and the tool. Every stage after it gets the arguments that a Before
// returned, and a person's verdict and a token are bound to these.
func (e *Engine) middleware(next handler) handler {
	if len(e.deps.Middleware) == 0 {
		return next
	}
	return func(ctx context.Context, j *Job) (tool.Result, error) {
		var res tool.Result
		passed, err := e.before(ctx, j)
		if err == nil {
			res, err = sheltered(ctx, j, next)
		}
		if _, answer := err.(*tool.Error); !answer && isControl(err) { //nolint:errorlint // what caused an answer steers nothing
			return res, err // there is no outcome yet
		}
		for _, m := range slices.Backward(e.deps.Middleware[:passed]) {
			if m.After == nil {
				continue
			}
			res, err = sheltered(ctx, j, func(ctx context.Context, j *Job) (tool.Result, error) {
				call := j.Call
				return m.After(ctx, &call, res, err)
			})
			if err != nil {
				res, err = tool.Result{}, failure(err)
			} else if res, err = usable(res); err != nil {
				res = tool.Result{}
			}
		}
		return res, err
	}
}

// before lets each middleware look at the call, until one objects. It returns how
// many let it pass.
func (e *Engine) before(ctx context.Context, j *Job) (passed int, _ error) {
	for _, m := range e.deps.Middleware {
		if m.Before != nil {
			var args json.RawMessage
			_, err := sheltered(ctx, j, func(ctx context.Context, j *Job) (res tool.Result, err error) {
				call := j.Call
				call.ClearPorts()
				args, err = m.Before(ctx, &call, slices.Clone(j.Given()))
				return res, err
			})
			if err != nil {
				return passed, refusal(ctx, j, "middleware "+m.Name, failure(err))
			}
			j.change(args)
		}
		passed++
	}
	return passed, nil
}

// change puts other arguments in place of those that were given; nil leaves them.
func (j *Job) change(args json.RawMessage) {
	if args == nil || bytes.Equal(args, j.Given()) {
		return
	}
	j.SentHash() // of the call as it came
	j.changed, j.hash = args, ""
}

// Given returns the arguments that count: as the caller sent them, or as middleware
// changed them.
func (j *Job) Given() json.RawMessage {
	if j.changed != nil {
		return j.changed
	}
	return j.Args
}
