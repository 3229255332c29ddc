package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

// once asks the ledger about earlier attempts of a job that was delivered
// before, and lets no job pass whose time is already up.
func (e *Engine) once(ctx context.Context, j *Job) error {
	if j.Redelivered {
		if err := e.deps.Ledger.Earlier(ctx, j); err != nil {
			return undecided(err)
		}
	}
	if e.late(j) {
		return expired(j)
	}
	return nil
}

func (e *Engine) late(j *Job) bool {
	return !j.Deadline.IsZero() && !e.deps.Now().Before(j.Deadline)
}

// undecided makes an error of the ledger that is no answer a reason to try
// again: without its answer the job can neither run nor be given up.
func undecided(err error) error {
	if _, answer := errors.AsType[*tool.Error](err); answer || isControl(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrRetry, err)
}
