package telemetry

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
)

const (
	traceID     = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID      = "00f067aa0ba902b7"
	traceparent = "00-" + traceID + "-" + spanID + "-01"
)

// clearOTEL keeps the caller's environment out of the test.
func clearOTEL(tb testing.TB) {
	tb.Helper()
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES",
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
	} {
		tb.Setenv(name, "")
	}
}

func tracingTo(tb testing.TB, opts TracingOptions) *Tracing {
	tb.Helper()
	tracing, err := NewTracing(tb.Context(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = tracing.Shutdown(context.Background()) })
	return tracing
}

func attributes(span *traces.Span) map[string]string {
	all := map[string]string{}
	for _, kv := range span.GetAttributes() {
		all[kv.GetKey()] = kv.GetValue().GetStringValue()
		if n, ok := kv.GetValue().GetValue().(*common.AnyValue_IntValue); ok {
			all[kv.GetKey()] = strconv.FormatInt(n.IntValue, 10)
		}
	}
	return all
}

func TestStartCallExportsASpan(t *testing.T) {
	clearOTEL(t)
	c := newOTLP(t)
	tracing := tracingTo(t, TracingOptions{Endpoint: c.URL, Service: "helve-worker", SampleRatio: 1})

	_, good := tracing.StartCall(t.Context(), traceparent, CallSpan{
		Tool: "read_file", CallID: "c-1", ToolCallID: "toolu_1", Tenant: "acme", Pool: "default", Worker: "w-1", Attempt: 2,
	})
	EndCall(good, "")
	_, bad := tracing.StartCall(t.Context(), traceID, CallSpan{Tool: "write_file", CallID: "c-2"})
	EndCall(bad, "path_not_allowed")

	spans := c.flush(t, tracing)
	if len(spans) != 2 {
		t.Fatalf("%d spans arrived, want 2", len(spans))
	}
	for i, want := range []struct {
		name, parent string
		attributes   map[string]string
		status       traces.Status_StatusCode
	}{
		{"execute_tool read_file", spanID, map[string]string{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read_file", "gen_ai.tool.call.id": "toolu_1", "helve.call_id": "c-1",
			"helve.tenant": "acme", "helve.pool": "default", "helve.worker": "w-1", "helve.attempt": "2",
		}, traces.Status_STATUS_CODE_UNSET},
		{"execute_tool write_file", "", map[string]string{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "write_file", "gen_ai.tool.call.id": "c-2", "helve.call_id": "c-2",
			"error.type": "path_not_allowed",
		}, traces.Status_STATUS_CODE_ERROR},
	} {
		span := spans[i]
		if got := hex.EncodeToString(span.GetTraceId()); got != traceID {
			t.Errorf("span %d: trace id = %s, want %s", i, got, traceID)
		}
		if got := hex.EncodeToString(span.GetParentSpanId()); got != want.parent {
			t.Errorf("span %d: parent = %q, want %q", i, got, want.parent)
		}
		if span.GetName() != want.name || span.GetStatus().GetCode() != want.status {
			t.Errorf("span %d: %q %v, want %q %v", i, span.GetName(), span.GetStatus(), want.name, want.status)
		}
		if diff := cmp.Diff(want.attributes, attributes(span)); diff != "" {
			t.Errorf("span %d: attributes differ (-want +got):\n%s", i, diff)
		}
	}
	if c.paths[0] != "/v1/traces" || c.resource["service.name"] != "helve-worker" || c.resource["service.version"] == "" {
		t.Errorf("exported to %v as %v, want /v1/traces, service.name and service.version", c.paths, c.resource)
	}
}

func TestNewTracingEndpoints(t *testing.T) {
	for _, tt := range []struct {
		name, option, variable string
		path                   string
	}{
		{"nothing", "", "", ""},
		{"option", "URL", "", "/v1/traces"},
		{"option with a slash", "URL/", "", "/v1/traces"},
		{"option with a base path", "URL/otel", "", "/otel/v1/traces"},
		{"option with the whole path", "URL/otel/v1/traces", "", "/otel/v1/traces"},
		{"variable", "", "OTEL_EXPORTER_OTLP_ENDPOINT=URL", "/v1/traces"},
		{"variable for traces", "", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=URL/here", "/here"},
		{"switched off", "URL", "OTEL_SDK_DISABLED=true", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clearOTEL(t)
			c := newOTLP(t)
			if name, value, ok := strings.Cut(tt.variable, "="); ok {
				t.Setenv(name, strings.Replace(value, "URL", c.URL, 1))
			}
			tracing := tracingTo(t, TracingOptions{Endpoint: strings.Replace(tt.option, "URL", c.URL, 1), SampleRatio: 1})
			_, span := tracing.Start(t.Context(), "", "work")
			span.End()
			c.flush(t, tracing)
			if got := strings.Join(c.paths, " "); got != tt.path {
				t.Errorf("exported to %q, want %q", got, tt.path)
			}
			if got, want := tracing.Enabled(), tt.path != ""; got != want {
				t.Errorf("Enabled() = %v, want %v", got, want)
			}
		})
	}
}
