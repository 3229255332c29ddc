package telemetry

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace"
)

func TestHeaderIsLowerCase(t *testing.T) {
	h := Header{}
	ctx := trace.ContextWithRemoteSpanContext(t.Context(), parse(traceparent))
	Inject(ctx, h)
	if diff := cmp.Diff(Header{"traceparent": {traceparent}}, h); diff != "" {
		t.Errorf("Inject differs (-want +got):\n%s", diff)
	}
	h.Set("traceparent", "other")
	if diff := cmp.Diff([]string{"traceparent"}, h.Keys()); diff != "" || h.Get("traceparent") != "other" {
		t.Errorf("Set did not replace: %v", h)
	}
}

func TestExtract(t *testing.T) {
	for _, tt := range []struct {
		h    Header
		want string
	}{
		{Header{"traceparent": {traceparent}, "tracestate": {"a=b"}}, traceID},
		{Header{"Traceparent": {traceparent}}, traceID},
		{Header{"traceparent": {traceparent}, "Traceparent": {"nonsense"}}, traceID},
		{Header{"traceparent": {}}, ""},
		{Header{"traceparent": {"nonsense"}}, ""},
		{nil, ""},
	} {
		sc := trace.SpanContextFromContext(Extract(t.Context(), tt.h))
		if got := sc.TraceID().String(); sc.IsValid() != (tt.want != "") || sc.IsValid() && got != tt.want {
			t.Errorf("Extract(%v) = %v, want %q", tt.h, sc, tt.want)
		}
	}
}

func TestTracestateTravels(t *testing.T) {
	ctx := Extract(t.Context(), Header{"traceparent": {traceparent}, "tracestate": {"a=b"}})
	h := Header{}
	Inject(ctx, h)
	if got := h.Get("tracestate"); got != "a=b" {
		t.Errorf("tracestate = %q after Extract and Inject, want a=b", got)
	}
}

func TestInjectWhenOff(t *testing.T) {
	clearOTEL(t)
	tracing := tracingTo(t, TracingOptions{})
	type key struct{}
	for _, tt := range []struct{ parent, prefix string }{
		{traceparent, traceparent},
		{traceID, "00-" + traceID + "-"},
		{"nonsense", ""},
		{"", ""},
	} {
		ctx, span := tracing.Start(context.WithValue(t.Context(), key{}, "kept"), tt.parent, "work")
		span.End()
		h := Header{}
		Inject(ctx, h)
		got := h.Get("traceparent")
		if !strings.HasPrefix(got, tt.prefix) || tt.prefix == "" && len(h) > 0 {
			t.Errorf("Inject after Start(%q) writes %q, want %q…", tt.parent, got, tt.prefix)
		}
		if _, ok := ParseTraceparent(got); ok != (tt.prefix != "") {
			t.Errorf("ParseTraceparent(%q) is %v, want %v", got, ok, tt.prefix != "")
		}
		if ctx.Value(key{}) != "kept" {
			t.Errorf("Start(%q) hides the values of its context", tt.parent)
		}
	}
}

func TestInjectTheSpanWhenOn(t *testing.T) {
	clearOTEL(t)
	tracing := tracingTo(t, TracingOptions{Endpoint: newOTLP(t).URL, SampleRatio: 1})
	ctx, span := tracing.Start(t.Context(), traceparent, "work")
	h := Header{}
	Inject(ctx, h)
	want := "00-" + traceID + "-" + span.SpanContext().SpanID().String() + "-01"
	if got := h.Get("traceparent"); got != want || strings.Contains(got, spanID) {
		t.Errorf("traceparent = %q, want the new span's %q", got, want)
	}
}
