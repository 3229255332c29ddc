package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// refusal turns the error of a stage before the tool into what record
// understands: a *tool.Error, or a control error that is none.
func refusal(ctx context.Context, j *Job, stage string, err error) error {
	if isControl(err) {
		return fmt.Errorf("%s: %w", stage, err)
	}
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	if ctx.Err() != nil {
		return notStarted(ctx, j)
	}
	return internal(fmt.Errorf("%s: %w", stage, err))
}

// internal is the answer to a fault of our own; the cause is for the log.
func internal(cause error) *tool.Error {
	return tool.Fail(tool.Internal, "the call failed because of a fault inside Helve, not of its arguments; "+
		"try again, and tell the operator if it happens again").Because(cause)
}

// notStarted returns the error of a job whose context ended before this attempt started
// its tool.
func notStarted(ctx context.Context, j *Job) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, context.DeadlineExceeded):
		return expired(j)
	case !errors.Is(cause, ErrCancelled):
		return fmt.Errorf("%w: %w", ErrRetry, cause)
	case j.touched():
		return unknown(cause)
	}
	return tool.Fail(tool.Cancelled, "the call was cancelled before the tool ran; nothing was done").Because(cause)
}

// Uncertain returns an error with the clause of the job's tool on how to find out what
// happened, if the error is that the outcome is unknown.
func (j *Job) Uncertain(e *tool.Error) *tool.Error {
	if e == nil || e.Kind != tool.OutcomeUnknown || j.invocation.Uncertain == nil {
		return e
	}
	how := j.invocation.Uncertain(&j.Call)
	if how == "" || strings.Contains(e.Msg, how) {
		return e
	}
	return tool.Fail(e.Kind, "%s; %s", e.Msg, how).Because(e.Cause)
}

// expired is the answer to a job whose deadline passed before its tool ran.
func expired(j *Job) *tool.Error {
	if j.touched() {
		return tool.Fail(tool.Timeout,
			"the call waited too long in the queue and did not run again after an interruption; an earlier attempt may have taken effect")
	}
	return tool.Fail(tool.Timeout, "the call waited too long in the queue and did not run; try again, or allow it more time")
}

// unknown is the answer where nobody can say whether a side effect happened.
func unknown(cause error) *tool.Error {
	return tool.Fail(tool.OutcomeUnknown,
		"the call was interrupted: it may or may not have happened, and it was not run again; check before you retry").Because(cause)
}
