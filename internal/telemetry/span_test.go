package telemetry

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

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

func TestOff(t *testing.T) {
	clearOTEL(t)
	tracing := tracingTo(t, TracingOptions{})
	ctx, span := tracing.StartCall(t.Context(), traceparent, CallSpan{Tool: "read_file", CallID: "c-1"})
	EndCall(span, "timeout")
	if tracing.Enabled() || span.IsRecording() || trace.SpanContextFromContext(ctx).IsValid() {
		t.Error("tracing without an endpoint records spans")
	}
	if err := tracing.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown = %v, want nil", err)
	}
	now := time.Now()
	if allocs := testing.AllocsPerRun(100, func() { wholeCall(ctx, tracing, traceparent, now) }); allocs > 1 {
		t.Errorf("a call allocates %v times when off, want at most once", allocs)
	}
	if allocs := testing.AllocsPerRun(100, func() { wholeCall(context.Background(), tracing, "", now) }); allocs > 0 {
		t.Errorf("a call without a trace allocates %v times when off, want never", allocs)
	}
}

// TestUnsampledCosts: a call that is not sampled costs what a call costs while tracing is
// off.
func TestUnsampledCosts(t *testing.T) {
	clearOTEL(t)
	tracing := tracingTo(t, TracingOptions{Endpoint: "http://127.0.0.1:1", SampleRatio: 1})
	parent := strings.TrimSuffix(traceparent, "01") + "00"
	now := time.Now()
	if allocs := testing.AllocsPerRun(100, func() { wholeCall(t.Context(), tracing, parent, now) }); allocs > 1 {
		t.Errorf("an unsampled call allocates %v times, want at most once", allocs)
	}
	ctx, span := tracing.StartCall(t.Context(), parent, CallSpan{Tool: "read_file"})
	if got := Traceparent(ctx); got != parent || SpanID(span) != "" {
		t.Errorf("an unsampled call has the traceparent %q and the span %q, want that of its parent and none", got, SpanID(span))
	}
	if inner, _ := tracing.Start(ctx, "", "inner"); Traceparent(inner) != parent {
		t.Errorf("the inner span of an unsampled call has the traceparent %q, want %q", Traceparent(inner), parent)
	}
}

// TestSpansAreBounded: hostile names neither grow a span without bound nor make its batch
// unreadable.
func TestSpansAreBounded(t *testing.T) {
	clearOTEL(t)
	c := newOTLP(t)
	tracing := tracingTo(t, TracingOptions{Endpoint: c.URL, SampleRatio: 1})
	long := strings.Repeat("é", 1<<20)
	ctx, span := tracing.StartCall(t.Context(), "", CallSpan{Tool: long, CallID: "\xff\xfe", Tenant: "a\xffb"})
	_, child := Child(ctx, trace.SpanKindClient, long, attribute.String("k", long))
	child.End()
	EndCall(span, "")
	spans := c.flush(t, tracing)
	if len(spans) != 2 {
		t.Fatalf("%d spans arrived, want 2", len(spans))
	}
	for _, s := range spans {
		if len(s.GetName()) > maxSpanText+len("execute_tool ") {
			t.Errorf("a span has a name of %d bytes", len(s.GetName()))
		}
		for key, value := range attributes(s) {
			if len(value) > maxSpanText {
				t.Errorf("%s has %d bytes, want at most %d", key, len(value), maxSpanText)
			}
		}
	}
	if got := attributes(spans[1])["helve.tenant"]; got != "ab" {
		t.Errorf("the tenant is %q, want it without its invalid byte", got)
	}
}

// TestPast: a wait is recorded with its own times, also if those of two clocks disagree.
func TestPast(t *testing.T) {
	clearOTEL(t)
	c := newOTLP(t)
	tracing := tracingTo(t, TracingOptions{Endpoint: c.URL, SampleRatio: 1})
	at := time.Unix(1_800_000_000, 0)
	tracing.Past(t.Context(), traceparent, "wait", at, at.Add(time.Minute), ConsentStatus("granted"))
	tracing.Past(t.Context(), traceparent, "behind", at, at.Add(-time.Minute))
	tracing.Past(t.Context(), "", "nothing", at, at)
	_, outer := tracing.Start(t.Context(), traceparent, "outer")
	outer.End()
	PastOf(outer, "after", at, at)
	PastOf(nil, "nothing", at, at)
	spans := c.flush(t, tracing)
	took := map[string]time.Duration{}
	for _, s := range spans {
		took[s.GetName()] = time.Duration(s.GetEndTimeUnixNano() - s.GetStartTimeUnixNano())
	}
	if len(spans) != 4 || took["wait"] != time.Minute || took["behind"] != 0 || attributes(spans[0])["helve.consent.status"] != "granted" {
		t.Errorf("spans took %v, want a minute for wait, and behind, outer and after", took)
	}
	if after := spans[3]; string(after.GetParentSpanId()) != string(spans[2].GetSpanId()) {
		t.Errorf("%s is below %x, want %s", after.GetName(), after.GetParentSpanId(), spans[2].GetName())
	}
}

// wholeCall starts what a worker starts for a call.
func wholeCall(ctx context.Context, tracing *Tracing, parent string, from time.Time) {
	ctx, span := tracing.StartCall(ctx, parent, CallSpan{
		Tool:    "read_file",
		CallID:  "c-1",
		Tenant:  "acme",
		Pool:    "default",
		Worker:  "w",
		Attempt: 1,
	})
	tracing.Past(ctx, parent, "queue", from, from)
	_, child := Child(ctx, trace.SpanKindClient, "GET", attribute.String("k", "v"))
	EndCall(child, "")
	EndCall(span, "")
	PastOf(span, "store result", from, from)
}

func benchmarkCall(b *testing.B, endpoint, parent string) {
	b.Helper()
	clearOTEL(b)
	tracing := tracingTo(b, TracingOptions{Endpoint: endpoint})
	ctx, now := b.Context(), time.Now()
	b.ReportAllocs()
	for b.Loop() {
		wholeCall(ctx, tracing, parent, now)
	}
}

func BenchmarkCallOff(b *testing.B) { benchmarkCall(b, "", traceparent) }

func BenchmarkCallWithoutTrace(b *testing.B) { benchmarkCall(b, "", "") }

func BenchmarkCallUnsampled(b *testing.B) {
	benchmarkCall(b, "http://127.0.0.1:1", strings.TrimSuffix(traceparent, "01")+"00")
}
