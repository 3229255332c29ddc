package telemetry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
)

func TestRequestSpans(t *testing.T) {
	clearOTEL(t)
	c := newOTLP(t)
	tracing := tracingTo(t, TracingOptions{Endpoint: c.URL, SampleRatio: 1})

	web := tracing.HTTPRequest("calls.get", "GET", "/v1/calls/{call_id}")
	ctx, parent := web.Begin(t.Context(), traceparent, "acme")
	if got := SpanOf(ctx).SpanContext(); parent != Traceparent(ctx) || got.TraceID().String() != traceID {
		t.Errorf("Begin returns %q and the span %v, want the same in the caller's trace", parent, got)
	}
	if _, again := web.Begin(t.Context(), "", ""); again != "" {
		t.Errorf("a second Begin returns %q, want nothing", again)
	}
	web.End(503)
	nats := tracing.NATSRequest("execute")
	nats.Begin(t.Context(), traceID, "acme")
	nats.End(404)
	tool := tracing.MCPRequest("read_file")
	tool.Begin(t.Context(), "", "acme")
	tool.EndCall("timeout")
	tracing.HTTPRequest("execute", "POST", "/v1/execute").End(401) // its caller was refused

	var off Tracing
	none := off.HTTPRequest("execute", "POST", "/v1/execute")
	if ctx, parent := none.Begin(t.Context(), traceparent, "acme"); ctx != t.Context() || parent != "" || none != nil {
		t.Error("a request has a span while tracing is off")
	}
	none.End(200)
	none.EndCall("")

	spans := c.flush(t, tracing)
	wants := []struct {
		name, status string
		attributes   map[string]string
	}{
		{"GET /v1/calls/{call_id}", "503", map[string]string{
			"helve.door": "http", "helve.operation": "calls.get", "helve.tenant": "acme", "http.request.method": "GET",
			"http.route": "/v1/calls/{call_id}", "http.response.status_code": "503", "error.type": "503",
		}},
		{
			"request execute", "",
			map[string]string{"helve.door": "nats", "helve.operation": "execute", "helve.tenant": "acme", "http.response.status_code": "404"},
		},
		{"tools/call read_file", "timeout", map[string]string{
			"helve.door": "mcp", "helve.tenant": "acme", "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool",
			"gen_ai.tool.name": "read_file", "error.type": "timeout",
		}},
	}
	if len(spans) != len(wants) {
		t.Fatalf("%d spans arrived, want %d: a request of an unknown caller has none", len(spans), len(wants))
	}
	for i, want := range wants {
		got := spans[i]
		if got.GetName() != want.name || got.GetStatus().GetMessage() != want.status || got.GetKind() != traces.Span_SPAN_KIND_SERVER {
			t.Errorf("span %d: %s, %v, %v, want %s of a server with the status %q",
				i, got.GetName(), got.GetKind(), got.GetStatus(), want.name, want.status)
		}
		if diff := cmp.Diff(want.attributes, attributes(got)); diff != "" {
			t.Errorf("span %d: attributes differ (-want +got):\n%s", i, diff)
		}
	}
}
