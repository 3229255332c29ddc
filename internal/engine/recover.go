package engine

import (
	"context"
	"errors"

	"github.com/helve-dev/helve/tool"
)

// errGoexit is the result of a tool that ended its goroutine instead of
// returning.
var errGoexit = tool.Fail(tool.ExecutionError, "the tool crashed: it ended without an answer").
	Because(errors.New("runtime.Goexit was called"))

// recovered turns a panic of the tool, or of the encoding of its result, into
// an answer. The panic value may hold anything, so it is for the log only.
func recovered(next handler) handler {
	return func(ctx context.Context, j *Job) (res tool.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				res, err = tool.Result{}, tool.Fail(tool.ExecutionError, "the tool crashed; the operator's log has the details").
					Because(panicked(v))
			}
		}()
		return next(ctx, j)
	}
}
