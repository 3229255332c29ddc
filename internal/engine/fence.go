package engine

import "context"

// fence stores that the call starts, before it acts, if it changes something.
// A job that cannot be repeated and was cancelled, or whose time ran out, ends
// here instead: it certainly did nothing.
func (e *Engine) fence(ctx context.Context, j *Job) error {
	switch {
	case !j.acts():
		return nil
	case !j.unrepeatable():
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the deadline stage says what the end of ctx means
		}
	case ctx.Err() != nil:
		return notStarted(ctx, j)
	case e.late(j):
		return expired(j)
	}
	if j.BeforeEffect != nil {
		if err := j.BeforeEffect(ctx); err != nil {
			return undecided(err)
		}
	}
	if err := e.deps.Ledger.Begin(ctx, j); err != nil {
		return undecided(err)
	}
	return nil
}
