package api

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/store"
	"github.com/helve-dev/helve/internal/toolbox/remote"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
)

// TestAsRequestError: each kind of error has its type and its HTTP status, and the text
// of an unexpected error is not shown.
func TestAsRequestError(t *testing.T) {
	for _, tt := range []struct {
		err    error
		kind   string
		status int
		after  time.Duration
	}{
		{&dispatch.Error{Kind: dispatch.Forbidden, Msg: "why"}, "forbidden", 403, 0},
		{&dispatch.Error{Kind: dispatch.NotFound, Msg: "why"}, "not_found", 404, 0},
		{&dispatch.Error{Kind: dispatch.TooLarge, Msg: "why"}, "too_large", 413, 0},
		{&dispatch.Error{Kind: dispatch.Unavailable, Msg: "why", RetryAfter: time.Second}, "unavailable", 503, time.Second},
		{fmt.Errorf("wrapped: %w", &dispatch.Error{Kind: dispatch.NotFound, Msg: "why"}), "not_found", 404, 0},
		{&consent.Error{Kind: consent.BadRequest, Msg: "why"}, "bad_request", 400, 0},
		{&consent.Error{Kind: consent.Forbidden, Msg: "why"}, "forbidden", 403, 0},
		{&consent.Error{Kind: consent.NotFound, Msg: "why"}, "not_found", 404, 0},
		{&consent.Error{Kind: consent.Conflict, Msg: "why"}, "conflict", 409, 0},
		{&remote.Error{Kind: remote.TooLarge, Msg: "why"}, "too_large", 413, 0},
		{&store.Error{Kind: store.Conflict, Msg: "why"}, "conflict", 409, 0},
		{&approvals.Error{Kind: approvals.Conflict, Msg: "why"}, "conflict", 409, 0},
		{&identity.Failure{Status: 401, Msg: "why"}, "unauthenticated", 401, 0},
		{&RequestError{Type: "overloaded", Status: 503, Msg: "why", RetryAfter: time.Minute}, "overloaded", 503, time.Minute},
	} {
		got, expected := AsRequestError(tt.err)
		if want := (RequestError{Type: tt.kind, Status: tt.status, Msg: "why", RetryAfter: tt.after}); !expected || *got != want {
			t.Errorf("AsRequestError(%T %v) = %+v, %v, want %+v", tt.err, tt.err, *got, expected, want)
		}
	}
	got, expected := AsRequestError(errors.New("secret of the operator"))
	if want := (RequestError{
		Type:   "unavailable",
		Status: 503,
		Msg: "the request cannot be served right now; try again in a second, and if it stays so, /readyz and helve doctor tell the " +
			"operator why",
		RetryAfter: time.Second,
	}); expected || *got != want {
		t.Errorf("AsRequestError of an unexpected error = %+v, %v, want %+v", *got, expected, want)
	}
}

func TestFault(t *testing.T) {
	code, sentence, body := NotFound("no call %q", "c1").Fault()
	if code != 404 || sentence != `no call "c1"` || string(body) != `{"error_type":"not_found","message":"no call \"c1\""}` {
		t.Errorf("Fault() = %d, %q, %s", code, sentence, body)
	}
}
