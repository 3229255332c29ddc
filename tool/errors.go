package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"

	"github.com/helve-dev/helve/protocol"
)

// Kind is the error_type a caller sees. The set is closed: callers branch on it.
type Kind = protocol.Kind

// The kinds of failure.
const (
	ToolNotFound         = protocol.ToolNotFound
	ToolNotAvailable     = protocol.ToolNotAvailable
	NotFound             = protocol.ItemNotFound
	ValidationError      = protocol.ValidationError
	ConfirmationRequired = protocol.ConfirmationRequired
	PermissionDenied     = protocol.PermissionDenied
	PolicyDenied         = protocol.PolicyDenied
	ConsentExpired       = protocol.ConsentExpired
	Timeout              = protocol.Timeout
	Cancelled            = protocol.Cancelled
	ExecutionError       = protocol.ExecutionError
	PathNotAllowed       = protocol.PathNotAllowed
	FileNotFound         = protocol.FileNotFound
	FileTooLarge         = protocol.FileTooLarge
	NetworkError         = protocol.NetworkError
	RateLimited          = protocol.RateLimited
	Overloaded           = protocol.Overloaded
	NotConfigured        = protocol.NotConfigured
	OutcomeUnknown       = protocol.OutcomeUnknown
	Unsupported          = protocol.Unsupported
	Internal             = protocol.Internal
)

// Kinds returns every [Kind].
func Kinds() []Kind { return protocol.Kinds() }

// Universal returns the kinds that can end any call, whatever its tool: failures of the
// transport, and validation_error for arguments that the schema refuses.
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
	// Metadata is additional information for the caller, such as the status that a server
	// answered with; values of JSON only. The result of a failed call has it.
	Metadata map[string]any
	// Content is a JSON array of blocks that show the failure, as [Result.Content].
	Content json.RawMessage
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

// Because sets the cause, which only the operator sees, and returns e.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// With adds an entry to the metadata and returns e.
func (e *Error) With(name string, value any) *Error {
	if e.Metadata == nil {
		e.Metadata = map[string]any{}
	}
	e.Metadata[name] = value
	return e
}

// Fail returns an error of kind k whose message the model will read.
func Fail(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...)}
}

// AsError converts any error of a tool or a port to an [*Error]. An error without a
// kind becomes an execution_error that carries the error's text, because a model can
// often act on it; errors of the standard library with an obvious kind get a message
// without host paths.
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

// isErrno reports whether err is the error number of a system call. Such an error has
// the methods of a net.Error even if it came from a file.
func isErrno(err error) bool {
	_, ok := err.(syscall.Errno) //nolint:errorlint // this error, not what it wraps
	return ok
}
