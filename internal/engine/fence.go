package engine

import "context"

// fence stores that the call starts, before it acts, if it changes something
// and cannot be repeated. A job that was cancelled, or whose time ran out, ends
// here instead: it certainly did nothing. One that can be repeated needs no
// fence of its own, but must not pass that of whoever ended it.
func (e *Engine) fence(ctx context.Context, j *Job) error {
	switch {
	case !j.invocation.Mutates:
		return nil
	case !j.unrepeatable():
		return e.notEnded(ctx, j)
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

// notEnded asks for a job that is here for the first time; once has asked for
// the others.
func (e *Engine) notEnded(ctx context.Context, j *Job) error {
	if j.Redelivered || ctx.Err() != nil {
		return nil //nolint:nilerr // the deadline stage says what the end of ctx means
	}
	if err := e.deps.Ledger.Ended(ctx, j); err != nil {
		return undecided(err)
	}
	return nil
}
