package system

import (
	"strings"
	"testing"
)

// WantError checks the error of a call.
func WantError(t testing.TB, e Element, errorType, message string) {
	t.Helper()
	if e.Status != "error" || e.ErrorType != errorType || !strings.Contains(e.Message, message) {
		t.Errorf("the call ended as %v, want error %s with %q", e, errorType, message)
	}
}

// WantResult checks the result of a call.
func WantResult(t testing.TB, e Element, result string) {
	t.Helper()
	if e.Status != "success" || string(e.Result) != result {
		t.Errorf("the call ended as %v, want success %s", e, result)
	}
}

// WantProblem checks the error of a whole request.
func WantProblem(t testing.TB, what string, r Reply, status int, errorType string) {
	t.Helper()
	if got := Decode[Answer](t, r); r.Status != status || got.ErrorType != errorType {
		t.Errorf("%s: %d %.300s, want %d %s", what, r.Status, r.Body, status, errorType)
	}
	if r.Header.Get("Nats-Service-Error-Code") != "" {
		if r.Header.Get("Nats-Service-Error") == "" {
			t.Errorf("%s: the header Nats-Service-Error is missing: %v", what, r.Header)
		}
	} else if r.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: Content-Type = %q, want application/problem+json", what, r.Header.Get("Content-Type"))
	}
}
