package calls

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
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
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for name, body := range bodies {
			r := d.Ask(t, system.NewTenant(), "execute", nil, body)
			system.WantProblem(t, name, r, 400, "bad_request")
		}
		system.WantProblem(t, "bad call_id", d.Ask(t, system.NewTenant(), "calls.get", map[string]string{"call_id": "a b"}, ""), 400,
			"bad_request")
		system.WantProblem(t, "unknown call", d.Ask(t, system.NewTenant(), "calls.get", map[string]string{"call_id": "nobody"}, ""), 404,
			"not_found")
		system.WantProblem(t, "unknown call cancelled", d.Ask(t, system.NewTenant(), "calls.cancel", map[string]string{"call_id": "nobody"}, ""),
			404, "not_found")
		system.WantProblem(t, "unknown tool", d.Ask(t, system.NewTenant(), "tools.get", map[string]string{"name": "nope"}, ""), 404, "not_found")
		system.WantProblem(t, "too many calls",
			d.Ask(t, system.NewTenant(), "execute", nil, `{"calls": [`+strings.Repeat(`{"tool": "debug.echo"},`, 5000)+system.EchoCall("1")+`]}`),
			413, "too_large")
	})
}

func TestBadHTTPRequest(t *testing.T) {
	t.Parallel()
	d := shared.HTTP(0)
	good := `{"calls": [` + system.EchoCall("1") + `]}`
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
		system.WantProblem(t, tt.name, d.Send(t, tt.method, tt.path, tt.body, tt.header), tt.status, tt.errorType)
	}
	if r := d.Send(t, "GET", "/v1/execute", "", nil); r.Header.Get("Allow") != "POST" {
		t.Errorf("Allow = %q, want POST", r.Header.Get("Allow"))
	}
}

func TestRequestFieldsThatAreAccepted(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		trace := strings.Repeat("0a", 16)
		for _, consent := range []string{"return", "wait"} {
			a := system.Execute(t, d, system.NewTenant(), fmt.Sprintf(`{"consent": %q, "trace_id": %q, "wait_ms": 20000, "nonsense": [1],
				"context": {"user": "u1", "agent": null, "conversation": "c1"},
				"calls": [{"tool": "debug.echo", "arguments": {"value": 1}, "tool_call_id": "call with a space", "confirm_token": null}]}`,
				consent, trace))
			system.WantResult(t, a.Results[0], "1")
			if a.TraceID != trace || a.Results[0].ToolCallID != "call with a space" {
				t.Errorf("trace_id, tool_call_id = %q, %q, want them as sent", a.TraceID, a.Results[0].ToolCallID)
			}
		}
	})
}

func TestElementIsComplete(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		a := system.Execute(t, d, system.NewTenant(), `{"calls": [`+system.EchoCall("1")+`]}`)
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
	// The first is the slowest: the order is not that of completion.
	calls[0] = `{"tool": "debug.sleep", "tool_call_id": "0", "arguments": {"ms": 300}}`
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		got := system.Together(t, d, system.NewTenant(), calls...)
		system.WantResult(t, got[0], `{"slept_ms":300}`)
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
