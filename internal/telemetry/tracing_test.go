package telemetry

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace"
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
	}
	return all
}

func TestStartCallExportsASpan(t *testing.T) {
	clearOTEL(t)
	c := newOTLP(t)
	tracing := tracingTo(t, TracingOptions{Endpoint: c.URL, Service: "helve-worker", SampleRatio: 1})

	_, good := tracing.StartCall(t.Context(), traceparent, "read_file", "c-1")
	EndCall(good, "")
	_, bad := tracing.StartCall(t.Context(), traceID, "write_file", "c-2")
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
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read_file", "gen_ai.tool.call.id": "c-1",
		}, traces.Status_STATUS_CODE_UNSET},
		{"execute_tool write_file", "", map[string]string{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "write_file", "gen_ai.tool.call.id": "c-2",
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

func TestStartFindsItsParent(t *testing.T) {
	clearOTEL(t)
	c := newOTLP(t)
	tracing := tracingTo(t, TracingOptions{Endpoint: c.URL, SampleRatio: 1})
	outer, span := tracing.Start(t.Context(), traceID, "outer")
	_, inner := tracing.Start(outer, "malformed", "inner")
	if got := inner.SpanContext().TraceID(); got != span.SpanContext().TraceID() {
		t.Errorf("a span with a malformed parent has trace %v, want its context's %v", got, span.SpanContext().TraceID())
	}
	_, root := tracing.Start(t.Context(), "", "root")
	if sc := root.SpanContext(); !sc.IsValid() || sc.TraceID().String() == traceID {
		t.Errorf("a span without a parent has context %v, want a trace of its own", sc)
	}
}

func TestSampling(t *testing.T) {
	clearOTEL(t)
	c := newOTLP(t)
	for _, tt := range []struct {
		ratio  float64
		parent string
		want   bool
	}{
		{0, traceID, false},
		{1, traceID, true},
		{0, traceparent, true},
		{1, strings.TrimSuffix(traceparent, "01") + "00", false},
	} {
		tracing := tracingTo(t, TracingOptions{Endpoint: c.URL, SampleRatio: tt.ratio})
		_, span := tracing.Start(t.Context(), tt.parent, "work")
		if got := span.SpanContext().IsSampled(); got != tt.want {
			t.Errorf("ratio %v, parent %s: sampled = %v, want %v", tt.ratio, tt.parent, got, tt.want)
		}
	}
}

func TestSamplingAgreesBetweenProcesses(t *testing.T) {
	clearOTEL(t)
	c := newOTLP(t)
	one := tracingTo(t, TracingOptions{Endpoint: c.URL, SampleRatio: 0.5})
	two := tracingTo(t, TracingOptions{Endpoint: c.URL, SampleRatio: 0.5})
	sampled := 0
	for i := range 100 {
		id := fmt.Sprintf("%016x%016x", i+1, uint64(i)*0x0290_0000_0000_0000)
		_, a := one.Start(t.Context(), id, "a")
		_, b := two.Start(t.Context(), id, "b")
		if a.SpanContext().IsSampled() != b.SpanContext().IsSampled() {
			t.Errorf("trace %s is sampled in one process only", id)
		}
		if a.SpanContext().IsSampled() {
			sampled++
		}
	}
	if sampled == 0 || sampled == 100 {
		t.Errorf("%d of 100 traces sampled at ratio 0.5, want some and not all", sampled)
	}
}

func TestLostSpansAreReported(t *testing.T) {
	clearOTEL(t)
	refuse := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	defer refuse.Close()
	var lost []error
	tracing := tracingTo(t, TracingOptions{Endpoint: refuse.URL, SampleRatio: 1, Failed: func(err error) { lost = append(lost, err) }})
	_, span := tracing.Start(t.Context(), "", "work")
	span.End()
	if err := tracing.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown = %v, want nil", err)
	}
	if len(lost) != 1 || !strings.Contains(lost[0].Error(), "lost 1 spans") {
		t.Errorf("Failed was told %v, want one error that says lost 1 spans", lost)
	}
}

func TestOff(t *testing.T) {
	clearOTEL(t)
	tracing := tracingTo(t, TracingOptions{})
	ctx, span := tracing.StartCall(t.Context(), traceparent, "read_file", "c-1")
	EndCall(span, "timeout")
	if tracing.Enabled() || span.IsRecording() || trace.SpanContextFromContext(ctx).IsValid() {
		t.Error("tracing without an endpoint records spans")
	}
	if err := tracing.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown = %v, want nil", err)
	}
	if allocs := testing.AllocsPerRun(100, func() {
		_, span := tracing.StartCall(ctx, traceparent, "read_file", "c-1")
		EndCall(span, "")
	}); allocs > 1 {
		t.Errorf("StartCall allocates %v times when off, want at most once", allocs)
	}
}

func BenchmarkStartCallOff(b *testing.B) {
	clearOTEL(b)
	tracing := tracingTo(b, TracingOptions{})
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		_, span := tracing.StartCall(ctx, traceparent, "read_file", "c-1")
		EndCall(span, "")
	}
}

func BenchmarkStartCallUnsampled(b *testing.B) {
	clearOTEL(b)
	tracing := tracingTo(b, TracingOptions{Endpoint: "http://127.0.0.1:1", SampleRatio: 0})
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		_, span := tracing.StartCall(ctx, traceID, "read_file", "c-1")
		EndCall(span, "")
	}
}
