package engine

import "context"

// allow asks whether the tool is in the agent's set.
func (e *Engine) allow(ctx context.Context, j *Job) error {
	return e.deps.Access.Allow(ctx, j)
}
