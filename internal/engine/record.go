package engine

import (
	"context"
	"maps"

	"github.com/helve-dev/helve/tool"
)

// record is the outermost stage: it times the job, makes its outcome and tells
// the recorder, also when a stage below it panics.
func (e *Engine) record(next handler) handler {
	return func(ctx context.Context, j *Job) (tool.Result, error) {
		o := &j.outcome
		o.Started = e.deps.Now()
		res, err := sheltered(ctx, j, next)
		o.settle(res, err)
		o.Err = j.seen.hide(j.Uncertain(o.Err))
		o.Result.Usage = res.Usage
		if o.Err != nil {
			o.Result.Metadata = encodable(o.Err.Metadata)
			if blocks(o.Err.Content) {
				o.Result.Content = o.Err.Content
			}
		}
		o.Result.Metadata = j.annotate(o.Result.Metadata, o.Result.Files)
		if o.Result.Notes = j.notesFor(&o.Result); o.Err != nil {
			o.Result.Notes = nil
		}
		o.Ran, o.Attempt = j.ran, int(j.committed.Load())
		o.Total = e.since(o.Started)
		e.deps.Record.Record(j, o)
		return o.Result, err
	}
}

// sheltered turns a panic of a stage into an internal error. Panics of the
// tool do not come this far.
func sheltered(ctx context.Context, j *Job, next handler) (res tool.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			res, err = tool.Result{}, internal(panicked(v))
		}
	}()
	return next(ctx, j)
}

// settle puts what came up the pipeline into the outcome. The error is looked
// at by its own type, not through what it wraps: what a tool returned is a
// *tool.Error by now, and none of its causes steers the worker.
func (o *Outcome) settle(res tool.Result, err error) {
	switch e := err.(type) { //nolint:errorlint // see above
	case nil:
		o.Result = res
	case *tool.Error:
		o.Err = presentable(e)
	default:
		if !isControl(err) {
			o.Err = presentable(internal(err))
			return
		}
		o.Control = err
	}
}

// annotate adds to a result's metadata what the caller should know of its own
// request, and the files that the call has written. The tool's map is left alone: it may
// be shared.
func (j *Job) annotate(meta map[string]any, files []tool.WrittenFile) map[string]any {
	d := j.Definition()
	lowered := d != nil && j.Timeout > d.Timeout()
	if len(j.ignored) == 0 && len(files) == 0 && !lowered && j.wait == 0 {
		return meta
	}
	meta = maps.Clone(meta)
	if meta == nil {
		meta = map[string]any{}
	}
	if len(j.ignored) > 0 {
		meta["ignored"] = j.ignored
	}
	if len(files) > 0 {
		meta["files"] = files
	}
	if j.wait > 0 {
		meta["retry_after_ms"] = j.wait.Milliseconds()
	}
	if lowered {
		meta["timeout_ms"] = d.Timeout().Milliseconds()
	}
	return meta
}
