package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestBadRequest(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{
		"empty object":       `{}`,
		"no calls":           `{"calls": []}`,
		"not JSON":           `{"calls": [}`,
		"not UTF-8":          "{\"calls\": [{\"tool\": \"\xff\"}]}",
		"a list":             `[]`,
		"trailing data":      `{"calls": [{"tool": "debug.echo"}]} x`,
		"calls no list":      `{"calls": {}}`,
		"a call no object":   `{"calls": ["debug.echo"]}`,
		"bad trace_id":       `{"trace_id": "ABC", "calls": [{"tool": "debug.echo"}]}`,
		"bad user":           `{"context": {"user": "a b"}, "calls": [{"tool": "debug.echo"}]}`,
		"bad wait_ms":        `{"wait_ms": -1, "calls": [{"tool": "debug.echo"}]}`,
		"bad consent":        `{"consent": "maybe", "calls": [{"tool": "debug.echo"}]}`,
		"calls twice":        `{"calls": [{"tool": "debug.echo"}], "calls": []}`,
		"calls and a format": `{"format": "openai", "message": {}, "calls": [{"tool": "debug.echo"}]}`,
	}
	everyDoor(t, shared, func(t *testing.T, d door) {
		for name, body := range bodies {
			r := d.ask(t, newTenant(), "execute", nil, body)
			wantProblem(t, name, r, 400, "bad_request")
		}
		wantProblem(t, "bad call_id", d.ask(t, newTenant(), "calls.get", map[string]string{"call_id": "a b"}, ""), 400, "bad_request")
		wantProblem(t, "unknown call", d.ask(t, newTenant(), "calls.get", map[string]string{"call_id": "nobody"}, ""), 404, "not_found")
		wantProblem(t, "unknown call cancelled", d.ask(t, newTenant(), "calls.cancel", map[string]string{"call_id": "nobody"}, ""), 404, "not_found")
		wantProblem(t, "unknown tool", d.ask(t, newTenant(), "tools.get", map[string]string{"name": "nope"}, ""), 404, "not_found")
		wantProblem(t, "too many calls", d.ask(t, newTenant(), "execute", nil, `{"calls": [`+strings.Repeat(`{"tool": "debug.echo"},`, 5000)+echo("1")+`]}`), 413, "too_large")
	})
}

// wantProblem checks the error of a whole request.
func wantProblem(t testing.TB, what string, r reply, status int, errorType string) {
	t.Helper()
	if got := decode[answer](t, r); r.status != status || got.ErrorType != errorType {
		t.Errorf("%s: %d %.300s, want %d %s", what, r.status, r.body, status, errorType)
	}
	if r.header.Get("Nats-Service-Error-Code") != "" {
		if r.header.Get("Nats-Service-Error") == "" {
			t.Errorf("%s: the header Nats-Service-Error is missing: %v", what, r.header)
		}
	} else if r.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: Content-Type = %q, want application/problem+json", what, r.header.Get("Content-Type"))
	}
}

func TestBadHTTPRequest(t *testing.T) {
	t.Parallel()
	d := shared.http(0)
	good := `{"calls": [` + echo("1") + `]}`
	for _, tt := range []struct {
		name, method, path, body string
		header                   http.Header
		status                   int
		errorType                string
	}{
		{"wrong method", "GET", "/v1/execute", "", nil, 405, "bad_request"},
		{"wrong method of a call", "DELETE", "/v1/calls/x", "", nil, 405, "bad_request"},
		{"nothing there", "GET", "/v1/nothing", "", nil, 404, "not_found"},
		{"over 8 MiB", "POST", "/v1/execute", strings.Repeat(" ", 8<<20) + good, nil, 413, "too_large"},
		{"not said to be JSON", "POST", "/v1/execute", good, http.Header{"Content-Type": {"text/html"}}, 400, "bad_request"},
		{"bad tenant", "POST", "/v1/execute", good, http.Header{"Helve-Tenant": {"a.b"}}, 400, "bad_request"},
		{"a foreign page", "POST", "/v1/execute", good, http.Header{"Origin": {"https://evil.example"}}, 403, "forbidden"},
		{"events without trace", "GET", "/v1/events", "", nil, 400, "bad_request"},
		{"events of a bad trace", "GET", "/v1/events?trace_id=xyz", "", nil, 400, "bad_request"},
		{"no result", "GET", "/v1/calls/nobody/result", "", nil, 404, "not_found"},
	} {
		wantProblem(t, tt.name, d.send(t, tt.method, tt.path, tt.body, tt.header), tt.status, tt.errorType)
	}
	if r := d.send(t, "GET", "/v1/execute", "", nil); r.header.Get("Allow") != "POST" {
		t.Errorf("Allow = %q, want POST", r.header.Get("Allow"))
	}
}

func TestRequestFieldsThatAreAccepted(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		trace := strings.Repeat("0a", 16)
		for _, consent := range []string{"return", "wait"} {
			a := execute(t, d, newTenant(), fmt.Sprintf(`{"consent": %q, "trace_id": %q, "wait_ms": 20000, "nonsense": [1],
				"context": {"user": "u1", "agent": null, "conversation": "c1"},
				"calls": [{"tool": "debug.echo", "arguments": {"value": 1}, "tool_call_id": "call with a space", "confirm_token": null}]}`, consent, trace))
			wantResult(t, a.Results[0], "1")
			if a.TraceID != trace || a.Results[0].ToolCallID != "call with a space" {
				t.Errorf("trace_id, tool_call_id = %q, %q, want them as sent", a.TraceID, a.Results[0].ToolCallID)
			}
		}
	})
}

func TestElementIsComplete(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		a := execute(t, d, newTenant(), `{"calls": [`+echo("1")+`]}`)
		e := a.Results[0]
		if len(a.TraceID) != 32 || e.CallID == "" || e.Tool != "debug.echo" || e.State != "done" || e.Attempt != 1 || e.Worker == "" {
			t.Errorf("trace_id %q, element %+v, want every field of the protocol", a.TraceID, e)
		}
	})
}

func TestAnswersInTheOrderAsked(t *testing.T) {
	t.Parallel()
	const n = 1000
	calls := make([]string, n)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"tool": "debug.echo", "tool_call_id": "%d", "arguments": {"value": %d}}`, i, i)
	}
	// The first is the slowest: order is not that of arrival.
	calls[0] = `{"tool": "debug.sleep", "tool_call_id": "0", "arguments": {"ms": 300}}`
	everyDoor(t, shared, func(t *testing.T, d door) {
		got := together(t, d, newTenant(), calls...)
		wantResult(t, got[0], `{"slept_ms":300}`)
		ids := map[string]bool{}
		for i, e := range got {
			if i > 0 && string(e.Result) != fmt.Sprint(i) || e.ToolCallID != fmt.Sprint(i) {
				t.Fatalf("result %d is %v", i, e)
			}
			ids[e.CallID] = true
		}
		if len(ids) != n {
			t.Errorf("%d calls have %d call_ids", n, len(ids))
		}
	})
}
