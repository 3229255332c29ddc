package engine

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/helve-dev/helve/tool"
)

// middleware puts what the worker's program brings around everything that judges
// the arguments and the tool itself. What a Before made of the arguments is what
// every stage behind it sees; the hash stays that of the call as it was sent.
func (e *Engine) middleware(next handler) handler {
	return func(ctx context.Context, j *Job) (tool.Result, error) {
		var res tool.Result
		passed, err := e.before(ctx, j)
		if err == nil {
			res, err = next(ctx, j)
		}
		if isControl(err) {
			return res, err // there is no outcome yet
		}
		for _, m := range slices.Backward(e.deps.Middleware[:passed]) {
			if m.After == nil {
				continue
			}
			call := j.Call
			if res, err = m.After(ctx, &call, res, err); err != nil {
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
			call := j.Call
			call.ClearPorts()
			args, err := m.Before(ctx, &call, slices.Clone(j.given()))
			if err != nil {
				return passed, refusal(ctx, j, "middleware "+m.Name, failure(err))
			}
			j.changed = args
		}
		passed++
	}
	return passed, nil
}

// given are the arguments that count: as the caller sent them, or what middleware
// made of them.
func (j *Job) given() json.RawMessage {
	if j.changed != nil {
		return j.changed
	}
	return j.Args
}
