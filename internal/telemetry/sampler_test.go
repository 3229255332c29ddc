package telemetry

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

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

// TestOwnSampling: with it the ratio decides about the requests of callers, whatever they
// decided; the parts of a request follow its span.
func TestOwnSampling(t *testing.T) {
	clearOTEL(t)
	unsampledParent := strings.TrimSuffix(traceparent, "01") + "00"
	for _, tt := range []struct {
		ratio  float64
		own    bool
		parent string
		want   bool
	}{
		{0, false, traceparent, true},
		{0, true, traceparent, false},
		{1, false, unsampledParent, false},
		{1, true, unsampledParent, true},
		{1, true, "", true},
		{0, true, "", false},
	} {
		tracing := tracingTo(t, TracingOptions{Endpoint: newOTLP(t).URL, SampleRatio: tt.ratio, OwnSampling: tt.own})
		ctx, parent := tracing.NATSRequest("execute").Begin(t.Context(), tt.parent, "acme")
		_, part := tracing.Start(context.Background(), parent, "part")
		if got := SpanID(SpanOf(ctx)) != ""; got != tt.want || SpanID(part) != "" != tt.want {
			t.Errorf("ratio %v, own %v, parent %q: the request is recorded: %v, its part: %v, want %v",
				tt.ratio, tt.own, tt.parent, got, SpanID(part) != "", tt.want)
		}
		if tt.parent != "" && !strings.Contains(parent, traceID) {
			t.Errorf("parent %q: the request has the traceparent %q, want the trace of its caller", tt.parent, parent)
		}
	}
}
