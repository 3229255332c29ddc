package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/helve-dev/helve/tool"
)

// gaveUp reports whether a tool stopped because its context had ended.
func gaveUp(err error) bool {
	e, ok := errors.AsType[*tool.Error](err)
	switch {
	case ok && e.Kind == tool.OutcomeUnknown:
		return false // the tool knows that it had begun to act
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return true
	}
	return ok && e.Kind == tool.Cancelled
}

// interrupted returns the error of a call whose context ended while its tool was running:
// the tool gave up, or ignored that.
func interrupted(ctx context.Context, j *Job, deaf bool) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, context.DeadlineExceeded):
		if deaf && (j.unrepeatable() || j.acted.Load()) {
			return unknown(cause)
		}
		return tool.Fail(tool.Timeout, "Tool execution timed out after %s", seconds(j.granted())).Because(cause)
	case errors.Is(cause, ErrCancelled):
		if j.changes() {
			return unknown(cause)
		}
		return tool.Fail(tool.Cancelled, "the call was cancelled while it ran; it changed nothing").Because(cause)
	case j.unrepeatable():
		return unknown(cause)
	}
	return fmt.Errorf("%w: %w", ErrRetry, cause)
}

// seconds writes 30 s as "30s" and 1.5 s as "1.5s".
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(time.Millisecond).Seconds(), 'f', -1, 64) + "s"
}
