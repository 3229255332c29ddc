package api

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/dispatcher"
	"github.com/helve-dev/helve/internal/remote"
	"github.com/helve-dev/helve/internal/upstream/pins"
)

// BadRequest returns the error of a request that is malformed.
func BadRequest(format string, args ...any) *dispatcher.RequestError {
	return failed("bad_request", http.StatusBadRequest, format, args...)
}

// Forbidden returns the error of a request that its sender must not make.
func Forbidden(format string, args ...any) *dispatcher.RequestError {
	return failed("forbidden", http.StatusForbidden, format, args...)
}

// NotFound returns the error of a request for something that is not there.
func NotFound(format string, args ...any) *dispatcher.RequestError {
	return failed("not_found", http.StatusNotFound, format, args...)
}

// Unavailable returns the error of a request that cannot be served here or now.
func Unavailable(format string, args ...any) *dispatcher.RequestError {
	return failed("unavailable", http.StatusServiceUnavailable, format, args...)
}

// TooLarge returns the error of a request beyond a limit.
func TooLarge(format string, args ...any) *dispatcher.RequestError {
	return failed("too_large", http.StatusRequestEntityTooLarge, format, args...)
}

// Crashed returns the error of a request in which Helve itself broke.
func Crashed() *dispatcher.RequestError {
	return failed("unavailable", http.StatusInternalServerError, "an internal error stopped this request; try again, and tell the operator if it stays")
}

func failed(kind string, status int, format string, args ...any) *dispatcher.RequestError {
	return &dispatcher.RequestError{Type: kind, Status: status, Msg: fmt.Sprintf(format, args...)}
}

var consentStatus = map[consent.Kind]int{
	consent.BadRequest: http.StatusBadRequest,
	consent.Forbidden:  http.StatusForbidden,
	consent.NotFound:   http.StatusNotFound,
	consent.Conflict:   http.StatusConflict,
}

var remoteStatus = map[remote.Kind]int{
	remote.BadRequest: http.StatusBadRequest,
	remote.Conflict:   http.StatusConflict,
	remote.TooLarge:   http.StatusRequestEntityTooLarge,
}

var upstreamStatus = map[pins.Kind]int{
	pins.BadRequest: http.StatusBadRequest,
	pins.NotFound:   http.StatusNotFound,
	pins.Conflict:   http.StatusConflict,
}

// AsRequestError returns the request error in err, or what an error of the packages
// consent, remote and pins means. For any other error, whose text no caller may see,
// that is unavailable, and expected is false.
func AsRequestError(err error) (e *dispatcher.RequestError, expected bool) {
	if e, ok := errors.AsType[*dispatcher.RequestError](err); ok {
		return e, true
	}
	if e, ok := errors.AsType[*consent.Error](err); ok {
		return failed(string(e.Kind), consentStatus[e.Kind], "%s", e.Msg), true
	}
	if e, ok := errors.AsType[*remote.Error](err); ok {
		return failed(string(e.Kind), remoteStatus[e.Kind], "%s", e.Msg), true
	}
	if e, ok := errors.AsType[*pins.Error](err); ok {
		return failed(string(e.Kind), upstreamStatus[e.Kind], "%s", e.Msg), true
	}
	e = failed("unavailable", http.StatusServiceUnavailable, "the request cannot be served right now; try again")
	e.RetryAfter = time.Second
	return e, false
}
