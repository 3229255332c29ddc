package engine

import "context"

// vet lets the tool look at the arguments before anybody is asked about them: a
// person should not be asked about a call that cannot work. It has no more time
// than the call.
func (e *Engine) vet(ctx context.Context, j *Job) error {
	if j.invocation.Check == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, j.allowed(e.deps.Now()))
	defer cancel()
	call := j.Call
	call.CustomTools = e.deps.CustomTools
	if err := j.invocation.Check(ctx, &call); err != nil {
		return err
	}
	j.About = call.About
	return nil
}
