package system

import (
	"strings"
	"testing"
)

// Answer is the body of an execute response, or of a problem.
type Answer struct {
	TraceID   string    `json:"trace_id"`
	Results   []Element `json:"results"`
	ErrorType string    `json:"error_type"`
	Status    int       `json:"status"`
}

// Execute sends a body that must be accepted and returns the answer.
func Execute(t testing.TB, d Door, tenant, body string) Answer {
	t.Helper()
	r := d.Ask(t, tenant, "execute", nil, body)
	if r.Status != 200 {
		t.Fatalf("execute = %d %.300s, want 200", r.Status, r.Body)
	}
	return Decode[Answer](t, r)
}

// Together executes calls, given as JSON objects, and returns their elements.
func Together(t testing.TB, d Door, tenant string, calls ...string) []Element {
	t.Helper()
	a := Execute(t, d, tenant, `{"calls": [`+strings.Join(calls, ",")+`]}`)
	if len(a.Results) != len(calls) {
		t.Fatalf("%d calls got %d results", len(calls), len(a.Results))
	}
	return a.Results
}

// One returns the element of a single call.
func One(t testing.TB, d Door, tenant, call string) Element {
	t.Helper()
	return Together(t, d, tenant, call)[0]
}

// Enqueue sends one call and does not wait for it.
func Enqueue(t testing.TB, d Door, tenant, call string) Element {
	t.Helper()
	return Execute(t, d, tenant, `{"wait_ms": 0, "calls": [`+call+`]}`).Results[0]
}

// ExecuteDefault executes one call in the tenant "default" and returns its element.
func ExecuteDefault(t testing.TB, d Door, call string) Element {
	t.Helper()
	return Execute(t, d, "default", `{"wait_ms": 30000, "calls": [`+call+`]}`).Results[0]
}
