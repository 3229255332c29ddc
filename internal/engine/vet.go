package engine

import "context"

// vet lets the tool look at the arguments before anybody is asked about them: a
// person should not be asked about a call that cannot work.
func (e *Engine) vet(ctx context.Context, j *Job) error {
	if j.invocation.Check == nil {
		return nil
	}
	call := j.Call
	call.CustomTools = e.deps.CustomTools
	return j.invocation.Check(ctx, &call)
}
