package store

import (
	"context"
	"errors"

	"github.com/helve-dev/helve/tool"
)

func unreachable(cause error) error {
	return tool.Fail(tool.Overloaded, "the store of personal data does not answer; nothing was changed; try again in a minute").Because(cause)
}

func full(cause error) error {
	return tool.Fail(tool.Overloaded, "the disk of the store is full; nothing was changed; tell the operator").Because(cause)
}

// storeError returns err as a [*tool.Error], unless it is one of this package's own.
func storeError(err error) error {
	if err == nil || errors.Is(err, ErrStale) || errors.Is(err, ErrUncertain) || errors.Is(err, errDone) || errors.Is(err, errAway) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	return tool.Fail(tool.Internal, "the store of personal data failed; the operator's log has the details").Because(err)
}
