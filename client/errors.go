package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
)

// Types of whole-request failures, as [RequestError] has them.
const (
	BadRequest      = "bad_request"
	Unauthenticated = "unauthenticated"
	Forbidden       = "forbidden"
	NotFound        = "not_found"
	Conflict        = "conflict"
	TooLarge        = "too_large"
	Overloaded      = "overloaded"
	Unavailable     = "unavailable"
)

var (
	// ErrUnreachable is in the chain of every error that says that no server
	// answered. The request may or may not have arrived.
	ErrUnreachable = errors.New("the server cannot be reached")
	// ErrPending is in the chain of [Result.Err] when the call is not done:
	// the wait ran out, or a person must decide first.
	ErrPending = errors.New("the call is not done")
)

// RequestError is the failure of a whole request: no call of it has a result.
type RequestError struct {
	// Type is one of the constants above.
	Type string
	// Status is the HTTP status, also over NATS; 0 if no server answered.
	Status int
	// Message is one sentence: what went wrong and what to do.
	Message string
	// RetryAfter is how long the server asks to wait; 0 if it does not say.
	RetryAfter time.Duration

	cause error
}

// Error returns the type and the message.
func (e *RequestError) Error() string { return e.Type + ": " + e.Message }

// Unwrap returns what lies below, [ErrUnreachable] among it where it applies.
func (e *RequestError) Unwrap() error { return e.cause }

// unreachable says that nobody answered at server, and why.
func unreachable(server string, why error) *RequestError {
	// Package net/http repeats method and URL, which the message already has.
	if u, ok := errors.AsType[*url.Error](why); ok {
		why = u.Err
	}
	return &RequestError{
		Type:    Unavailable,
		Message: fmt.Sprintf("cannot reach %s: %v", server, why),
		cause:   fmt.Errorf("%w: %w", ErrUnreachable, why),
	}
}

// misused is the failure of a request that was not worth sending.
func misused(format string, args ...any) *RequestError {
	return &RequestError{Type: BadRequest, Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
}

// typeOf is the error type of a status whose body does not tell.
func typeOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return Unauthenticated
	case http.StatusForbidden:
		return Forbidden
	case http.StatusNotFound:
		return NotFound
	case http.StatusConflict:
		return Conflict
	case http.StatusRequestEntityTooLarge:
		return TooLarge
	case http.StatusTooManyRequests:
		return Overloaded
	}
	if status >= http.StatusInternalServerError {
		return Unavailable
	}
	return BadRequest
}

// problem reads the body of a failed request. A body that is not Helve's, such
// as a proxy's, leaves the status and what the caller says instead.
func problem(status int, body []byte, after time.Duration, instead string) *RequestError {
	var told struct {
		ErrorType string `json:"error_type"`
		Detail    string `json:"detail"`
		Message   string `json:"message"`
		Title     string `json:"title"`
	}
	e := &RequestError{Status: status, RetryAfter: after, Message: instead}
	if json.Unmarshal(body, &told, lenient) == nil {
		e.Type = told.ErrorType
		for _, text := range []string{told.Title, told.Message, told.Detail} {
			if text != "" {
				e.Message = text
			}
		}
	}
	if e.Type == "" {
		e.Type = typeOf(status)
	}
	return e
}

// parseRetryAfter reads the header of that name: seconds, or a date.
func parseRetryAfter(text string, now time.Time) time.Duration {
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// stopped is why a request that was being retried ended: ctx, after the last
// failure if there was one.
func stopped(ctx context.Context, last error) error {
	if last == nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w; the last attempt failed: %w", context.Cause(ctx), last)
}
