package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"
)

// Kind is the error_type a caller sees. The set is closed: callers branch on it.
type Kind string

// The kinds of failure, as PROTOCOL section 4 lists them.
const (
	ToolNotFound         Kind = "tool_not_found"
	ToolNotAvailable     Kind = "tool_not_available"
	ValidationError      Kind = "validation_error"
	ConfirmationRequired Kind = "confirmation_required"
	PermissionDenied     Kind = "permission_denied"
	PolicyDenied         Kind = "policy_denied"
	ConsentExpired       Kind = "consent_expired"
	Timeout              Kind = "timeout"
	Cancelled            Kind = "cancelled"
	ExecutionError       Kind = "execution_error"
	PathNotAllowed       Kind = "path_not_allowed"
	FileNotFound         Kind = "file_not_found"
	FileTooLarge         Kind = "file_too_large"
	NetworkError         Kind = "network_error"
	RateLimited          Kind = "rate_limited"
	Overloaded           Kind = "overloaded"
	NotConfigured        Kind = "not_configured"
	OutcomeUnknown       Kind = "outcome_unknown"
	Unsupported          Kind = "unsupported"
	Internal             Kind = "internal"
)

// Kinds lists every [Kind] there is.
func Kinds() []Kind {
	return []Kind{
		ToolNotFound, ToolNotAvailable, ValidationError, ConfirmationRequired, PermissionDenied,
		PolicyDenied, ConsentExpired, Timeout, Cancelled, ExecutionError, PathNotAllowed, FileNotFound,
		FileTooLarge, NetworkError, RateLimited, Overloaded, NotConfigured, OutcomeUnknown, Unsupported, Internal,
	}
}

// Universal lists the kinds that can end any call, whatever its tool: those of the
// way to it and back, and validation_error for arguments that its schema refuses.
func Universal() []Kind {
	return []Kind{
		ToolNotFound, ToolNotAvailable, ValidationError, ConfirmationRequired, PermissionDenied, PolicyDenied,
		ConsentExpired, Timeout, Cancelled, RateLimited, Overloaded, OutcomeUnknown, Internal,
	}
}

// Error is a failed call: Kind is for the machine, Msg is one sentence for the
// model (what went wrong, what to do), and Cause is for the operator's log
// only. Cause never leaves the worker.
type Error struct {
	Kind  Kind
	Msg   string
	Cause error
}

// Error returns kind, message and cause, for logs.
func (e *Error) Error() string {
	if e.Cause == nil {
		return string(e.Kind) + ": " + e.Msg
	}
	return fmt.Sprintf("%s: %s: %v", e.Kind, e.Msg, e.Cause)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Because attaches the operator's cause and returns e.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// Fail returns an error of kind k whose message the model will read.
func Fail(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...)}
}

// AsError turns whatever a tool or a port returned into an [*Error]. An error
// without a kind of its own is an execution_error that carries the error's
// text, because a model can often act on it; errors of the standard library
// that have an obvious kind get a message without host paths.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Fail(Timeout, "the tool did not finish in time").Because(err)
	case errors.Is(err, context.Canceled):
		return Fail(Cancelled, "the call was cancelled").Because(err)
	case errors.Is(err, fs.ErrNotExist):
		return Fail(FileNotFound, "the file does not exist").Because(err)
	}
	if e, ok := errors.AsType[net.Error](err); ok && !isErrno(e) {
		if e.Timeout() {
			return Fail(Timeout, "the network did not answer in time").Because(err)
		}
		return Fail(NetworkError, "the network request failed").Because(err)
	}
	return Fail(ExecutionError, "Tool execution failed: %s", err).Because(err)
}

// isErrno tells the error number of a system call, which has the methods of a
// net.Error also where it came from a file.
func isErrno(err error) bool {
	_, ok := err.(syscall.Errno) //nolint:errorlint // this error, not what it wraps
	return ok
}
