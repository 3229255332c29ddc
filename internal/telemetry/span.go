package telemetry

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Span is a span of OpenTelemetry.
type Span = trace.Span

// noSpan is the span of a call that is not recorded.
var noSpan Span = noop.Span{}

// maxSpanText limits the bytes of a name or attribute of a span.
const maxSpanText = 256

// Start starts a span and returns it in a context. parent is the traceparent that came
// with the work, or a bare trace_id, whose trace then begins here; if it is empty or
// malformed, the parent is ctx's span. The caller ends the span. If the parent is not
// sampled nothing is recorded, and the children of the returned context have the same
// parent.
func (t *Tracing) Start(ctx context.Context, parent, name string, attrs ...attribute.KeyValue) (context.Context, Span) {
	if t.tracer == nil || unsampled(parent) {
		if parent == "" {
			return ctx, noSpan
		}
		return &carried{ctx, parent}, noSpan
	}
	if sc := parentOf(parent); sc.HasTraceID() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, sc)
	} else if left(ctx) {
		return ctx, noSpan
	}
	// Copied, so that attrs need not escape to the heap when tracing is off.
	return t.tracer.Start(ctx, clip(name), trace.WithAttributes(clipped(attrs)...))
}

// left reports whether ctx has a parent that is not recorded.
func left(ctx context.Context) bool {
	if _, ok := ctx.Value(carriedKey{}).(*carried); ok {
		return true
	}
	sc := trace.SpanContextFromContext(ctx)
	return sc.IsValid() && !sc.IsSampled()
}

// Child starts a span below ctx's, if that is recorded. The caller ends it.
func Child(ctx context.Context, kind trace.SpanKind, name string, attrs ...attribute.KeyValue) (context.Context, Span) {
	outer := trace.SpanFromContext(ctx)
	if !outer.SpanContext().IsSampled() {
		return ctx, noSpan
	}
	return outer.TracerProvider().Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL)).Start(ctx, clip(name), trace.WithSpanKind(kind),
		trace.WithAttributes(clipped(attrs)...))
}

// Past records a span that began at from and ended at to, such as the time that a call
// waited. parent is a traceparent; nothing is recorded if it is not sampled.
func (t *Tracing) Past(ctx context.Context, parent, name string, from, to time.Time, attrs ...attribute.KeyValue) {
	if t == nil || t.tracer == nil || unsampled(parent) {
		return
	}
	sc := parse(parent)
	if !sc.IsSampled() {
		return
	}
	past(trace.ContextWithRemoteSpanContext(ctx, sc), t.tracer, name, from, to, attrs)
}

// PastOf is Past with a span as the parent, which may have ended; nil is none.
func PastOf(outer Span, name string, from, to time.Time) {
	if outer == nil || !outer.SpanContext().IsSampled() {
		return
	}
	tracer := outer.TracerProvider().Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))
	past(trace.ContextWithSpan(context.Background(), outer), tracer, name, from, to, nil)
}

func past(ctx context.Context, tracer trace.Tracer, name string, from, to time.Time, attrs []attribute.KeyValue) {
	if to.Before(from) { // of different clocks
		to = from
	}
	_, span := tracer.Start(ctx, clip(name), trace.WithTimestamp(from), trace.WithAttributes(clipped(attrs)...))
	span.End(trace.WithTimestamp(to))
}

// Traceparent returns the W3C traceparent of ctx's span, "" if there is none.
func Traceparent(ctx context.Context) string {
	h := Header{}
	Inject(ctx, h)
	return h.Get("traceparent")
}

// SpanID returns the id of a span that is recorded, else "".
func SpanID(span Span) string {
	if sc := span.SpanContext(); sc.IsSampled() {
		return sc.SpanID().String()
	}
	return ""
}

// SpanOf returns ctx's span, or a span that records nothing.
func SpanOf(ctx context.Context) Span { return trace.SpanFromContext(ctx) }

// EndSpan ends ctx's span. Ending it twice has no effect.
func EndSpan(ctx context.Context) { trace.SpanFromContext(ctx).End() }

// EndCall ends the span of a call. A non-empty errorType marks it as failed; messages
// are omitted, since they may quote arguments.
func EndCall(span Span, errorType string) {
	if errorType != "" && span.IsRecording() {
		span.SetStatus(codes.Error, errorType)
		span.SetAttributes(semconv.ErrorTypeKey.String(errorType))
	}
	span.End()
}

// clipped returns a copy of attributes in which no text is longer than [maxSpanText].
// Empty texts are left out.
func clipped(attrs []attribute.KeyValue) []attribute.KeyValue {
	list := make([]attribute.KeyValue, 0, len(attrs))
	for _, kv := range attrs {
		if kv.Value.Type() == attribute.STRING {
			text := clip(kv.Value.AsString())
			if text == "" {
				continue
			}
			kv.Value = attribute.StringValue(text)
		}
		list = append(list, kv)
	}
	return list
}

// clip returns at most [maxSpanText] bytes of a text, as valid UTF-8: a single invalid
// text would make a whole batch unreadable.
func clip(text string) string {
	if len(text) > maxSpanText {
		text = text[:maxSpanText]
	}
	return strings.ToValidUTF8(text, "")
}
