package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/store"
	"github.com/helve-dev/helve/internal/toolbox/remote"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
	"github.com/helve-dev/helve/protocol"
)

// RequestError is the failure of a whole request: none of its calls has a result.
type RequestError struct {
	// Type is one of the whole-request error types of docs/protocol.md, Operations.
	Type string
	// Status is the HTTP status that goes with it, and the code of a NATS service error.
	Status     int
	Msg        string
	RetryAfter time.Duration
	// SignIn, on a 401 over HTTP, lists the ways of signing in with a browser.
	SignIn *protocol.SignIn
	// SignedInAs, on a 409 over HTTP, names the signed-in person, another one than the page showed.
	SignedInAs *string
}

// Error returns the type and the message.
func (e *RequestError) Error() string { return e.Type + ": " + e.Msg }

// RetryIn returns the delay after which the request may be sent again, or 0.
func (e *RequestError) RetryIn() time.Duration { return e.RetryAfter }

// Fault returns the code, sentence and body of the failure for the NATS transport.
func (e *RequestError) Fault() (code int, description string, body []byte) {
	body, err := json.Marshal(map[string]string{"error_type": e.Type, "message": e.Msg})
	if err != nil {
		return e.Status, e.Msg, nil
	}
	return e.Status, e.Msg, body
}

// BadRequest returns the error for a malformed request.
func BadRequest(format string, args ...any) *RequestError {
	return newRequestError("bad_request", http.StatusBadRequest, format, args...)
}

// Forbidden returns the error for a request that its sender must not make.
func Forbidden(format string, args ...any) *RequestError {
	return newRequestError("forbidden", http.StatusForbidden, format, args...)
}

// NotFound returns the error for a request for a missing item.
func NotFound(format string, args ...any) *RequestError {
	return newRequestError("not_found", http.StatusNotFound, format, args...)
}

// Unavailable returns the error for a request that cannot be served here or now.
func Unavailable(format string, args ...any) *RequestError {
	return newRequestError("unavailable", http.StatusServiceUnavailable, format, args...)
}

// TooLarge returns the error for a request beyond a limit.
func TooLarge(format string, args ...any) *RequestError {
	return newRequestError("too_large", http.StatusRequestEntityTooLarge, format, args...)
}

// Crashed returns the error for a request that failed with a panic.
func Crashed() *RequestError {
	return newRequestError("unavailable", http.StatusInternalServerError,
		"an internal error stopped this request; try again, and tell the operator if it stays")
}

func newRequestError(kind string, status int, format string, args ...any) *RequestError {
	return &RequestError{Type: kind, Status: status, Msg: fmt.Sprintf(format, args...)}
}

var dispatchStatus = map[dispatch.Kind]int{
	dispatch.Forbidden:   http.StatusForbidden,
	dispatch.NotFound:    http.StatusNotFound,
	dispatch.TooLarge:    http.StatusRequestEntityTooLarge,
	dispatch.Unavailable: http.StatusServiceUnavailable,
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

var upstreamStatus = map[approvals.Kind]int{
	approvals.BadRequest: http.StatusBadRequest,
	approvals.NotFound:   http.StatusNotFound,
	approvals.Conflict:   http.StatusConflict,
}

var customStatus = map[store.Kind]int{
	store.BadRequest: http.StatusBadRequest,
	store.Forbidden:  http.StatusForbidden,
	store.NotFound:   http.StatusNotFound,
	store.Conflict:   http.StatusConflict,
}

func identityKind(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "unauthenticated"
	case http.StatusForbidden:
		return "forbidden"
	}
	return "unavailable"
}

// AsRequestError returns the request error in err, or the request error for an error of
// the packages dispatch, consent, remote, store, approvals and identity. Any other error, whose text
// callers must not see, becomes unavailable, and expected is false.
func AsRequestError(err error) (e *RequestError, expected bool) {
	if e, ok := errors.AsType[*RequestError](err); ok {
		return e, true
	}
	if e, ok := errors.AsType[*dispatch.Error](err); ok {
		return &RequestError{Type: string(e.Kind), Status: dispatchStatus[e.Kind], Msg: e.Msg, RetryAfter: e.RetryAfter}, true
	}
	if e, ok := errors.AsType[*consent.Error](err); ok {
		return newRequestError(string(e.Kind), consentStatus[e.Kind], "%s", e.Msg), true
	}
	if e, ok := errors.AsType[*remote.Error](err); ok {
		return newRequestError(string(e.Kind), remoteStatus[e.Kind], "%s", e.Msg), true
	}
	if e, ok := errors.AsType[*store.Error](err); ok {
		return newRequestError(string(e.Kind), customStatus[e.Kind], "%s", e.Msg), true
	}
	if e, ok := errors.AsType[*approvals.Error](err); ok {
		return newRequestError(string(e.Kind), upstreamStatus[e.Kind], "%s", e.Msg), true
	}
	if e, ok := errors.AsType[*identity.Failure](err); ok {
		return newRequestError(identityKind(e.Status), e.Status, "%s", e.Msg), true
	}
	e = newRequestError("unavailable", http.StatusServiceUnavailable,
		"the request cannot be served right now; try again in a second, and if it stays so, /readyz and helve doctor tell the operator why")
	e.RetryAfter = time.Second
	return e, false
}
