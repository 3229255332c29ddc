package engine

import "context"

// available asks whether the tool is in the agent's set.
func (e *Engine) available(ctx context.Context, j *Job) error {
	return e.deps.Access.Allow(ctx, j)
}
