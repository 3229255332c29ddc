package engine

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

// Trace begins a span of one part of a call and returns its context and the function
// that ends it, with the error that the part ended in.
type Trace func(ctx context.Context, part string) (context.Context, func(error))

// traced returns look inside a span. Without tracing it is look itself.
func (e *Engine) traced(part string, look func(context.Context, *Job) error) func(context.Context, *Job) error {
	begin := e.deps.Trace
	if begin == nil {
		return look
	}
	return func(ctx context.Context, j *Job) error {
		ctx, end := begin(ctx, part)
		err := look(ctx, j)
		end(err)
		return err
	}
}

// tracedTool is runTool inside a span, which also ends when the tool panics.
func (e *Engine) tracedTool() handler {
	begin := e.deps.Trace
	if begin == nil {
		return runTool
	}
	return func(ctx context.Context, j *Job) (res tool.Result, err error) {
		ctx, end := begin(ctx, "tool")
		ended := false
		defer func() {
			if !ended { // a panic, or the end of the goroutine
				err = errGoexit
			}
			end(err)
		}()
		res, err = runTool(ctx, j)
		ended = true
		return res, err
	}
}
