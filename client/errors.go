package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
)

// Types of whole-request failures, in [RequestError].Type.
const (
	BadRequest      = protocol.BadRequest
	Unauthenticated = protocol.Unauthenticated
	Forbidden       = protocol.Forbidden
	NotFound        = protocol.NotFound
	Conflict        = protocol.Conflict
	TooLarge        = protocol.TooLarge
	Overloaded      = protocol.TooMany
	Unavailable     = protocol.Unavailable
	RateLimited     = protocol.OverQuota
)

var (
	// ErrUnreachable is in the chain of every error that means that no server answered.
	// The request may or may not have arrived.
	ErrUnreachable = errors.New("the server cannot be reached")
	// ErrPending is in the chain of [Result.Err] if the call is not done: the wait
	// ended, or a person must decide first.
	ErrPending = errors.New("the call is not done")
)

// RequestError is the failure of a whole request: none of its calls has a result.
type RequestError struct {
	// Type is one of the constants above.
	Type string
	// Status is the HTTP status, also over NATS; 0 if no server answered.
	Status int
	// Message is one sentence: what went wrong and what to do.
	Message string
	// RetryAfter is the delay that the server requests; 0 if it requests none.
	RetryAfter time.Duration

	cause error
}

// Error returns the type and the message.
func (e *RequestError) Error() string { return e.Type + ": " + e.Message }

// Unwrap returns the cause, [ErrUnreachable] among it if no server answered.
func (e *RequestError) Unwrap() error { return e.cause }

// unreachable returns the error for a server that did not answer, with the reason.
func unreachable(server string, why error) *RequestError {
	// Package net/http repeats method and URL, which the message already contains.
	if u, ok := errors.AsType[*url.Error](why); ok {
		why = u.Err
	}
	cause := fmt.Errorf("%w: %w", ErrUnreachable, why)
	// NATS greets each connection. Package net/http repeats that, or, if it came before the request was
	// sent, names only the function that found it.
	text := why.Error()
	if strings.Contains(text, "malformed HTTP") && strings.Contains(text, "server_id") ||
		strings.Contains(text, "readLoopPeekFail") && isNATS(server) {
		why, cause = errNATS, errors.Join(ErrUnreachable, errForeign, errNATS)
	}
	return &RequestError{Type: Unavailable, Message: fmt.Sprintf("cannot reach %s: %v", server, why), cause: cause}
}

// greeting is the time in which a server greets a connection.
const greeting = 2 * time.Second

// isNATS reports whether the server at an http:// address greets a connection as NATS does.
func isNATS(server string) bool {
	at, err := url.Parse(server)
	if err != nil {
		return false
	}
	ctx, end := context.WithTimeout(context.Background(), greeting)
	defer end()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.Host)
	if err != nil {
		return false
	}
	defer conn.Close()
	first := make([]byte, len("INFO "))
	if conn.SetReadDeadline(time.Now().Add(greeting)) != nil {
		return false
	}
	_, err = io.ReadFull(conn, first)
	return err == nil && string(first) == "INFO "
}

// errNATS means that a NATS server answers at an http:// address.
var errNATS = errors.New("this is NATS; the HTTP address of Helve is usually http://HOST:8080, and nats://HOST:PORT reaches it by " +
	"way of NATS")

// misused returns the failure of a request that is invalid and was not sent.
func misused(format string, args ...any) *RequestError {
	return &RequestError{Type: BadRequest, Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
}

// typeOf returns the error type of a status if the body has none.
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

// problem reads the body of a failed request. If the body is not Helve's, for instance
// a proxy's, the status and the given message are used.
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

// parseRetryAfter parses a Retry-After header: seconds, or a date.
func parseRetryAfter(text string, now time.Time) time.Duration {
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// stopped returns the error of a request that was being retried when ctx ended: the
// cause of ctx, and the last failure if there was one.
func stopped(ctx context.Context, last error) error {
	if last == nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w; the last attempt failed: %w", context.Cause(ctx), last)
}
