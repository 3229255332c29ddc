package engine

import "context"

// fence stores that the call starts, before it acts, if it changes something
// and cannot be repeated. A job that was cancelled, or whose time ran out, ends
// here instead: it certainly did nothing.
func (e *Engine) fence(ctx context.Context, j *Job) error {
	switch {
	case !j.unrepeatable():
		return nil
	case ctx.Err() != nil:
		return notStarted(ctx, j)
	case e.late(j):
		return expired(j)
	}
	if err := e.deps.Ledger.Begin(ctx, j); err != nil {
		return undecided(err)
	}
	return nil
}
