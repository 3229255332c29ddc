package tracedport

import (
	"context"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// recorded returns a context in the span of a call, and what is recorded of spans that end.
func recorded(t *testing.T) (context.Context, *tracetest.SpanRecorder) {
	t.Helper()
	rec := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(rec))
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	ctx, _ := provider.Tracer("test").Start(t.Context(), "tool") //nolint:spancheck // only its children are of interest
	return ctx, rec
}

// onlySpan returns the only span that ended, as a map of its attributes.
func onlySpan(t *testing.T, rec *tracetest.SpanRecorder) (sdktrace.ReadOnlySpan, map[string]any) {
	t.Helper()
	ended := rec.Ended()
	if len(ended) != 1 {
		t.Fatalf("%d spans ended, want 1", len(ended))
	}
	attrs := map[string]any{}
	for _, kv := range ended[0].Attributes() {
		attrs[string(kv.Key)] = kv.Value.AsInterface()
	}
	return ended[0], attrs
}
