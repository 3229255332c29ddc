package engine

import "context"

// place refuses a job that cannot run in this process, before a person is asked about
// it. It follows once: what an earlier attempt did elsewhere is the call's outcome.
func (e *Engine) place(_ context.Context, j *Job) error {
	if e.deps.Place == nil {
		return nil
	}
	return e.deps.Place(j)
}
