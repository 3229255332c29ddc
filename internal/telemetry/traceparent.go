package telemetry

import (
	"context"
	"crypto/rand"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// ParseTraceparent returns the trace id in a W3C traceparent: 32 lower-case hex digits,
// which is also our trace_id. ok is false if it is malformed.
func ParseTraceparent(traceparent string) (traceID string, ok bool) {
	sc := parse(traceparent)
	if !sc.IsValid() {
		return "", false
	}
	return sc.TraceID().String(), true
}

// NewTraceparent returns a traceparent for a trace_id, with a random span as the
// parent, for callers that have a trace but no span. sampled requests recording from
// its receivers. ok is false if traceID is invalid.
func NewTraceparent(traceID string, sampled bool) (traceparent string, ok bool) {
	id, err := trace.TraceIDFromHex(traceID)
	if err != nil {
		return "", false
	}
	var span trace.SpanID
	for !span.IsValid() {
		_, _ = rand.Read(span[:]) // it never fails
	}
	flags := "-00"
	if sampled {
		flags = "-01"
	}
	return "00-" + id.String() + "-" + span.String() + flags, true
}

// parse returns the span context in a traceparent, invalid if malformed.
func parse(traceparent string) trace.SpanContext {
	ctx := w3c.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent})
	return trace.SpanContextFromContext(ctx)
}

// parentOf reads the parent argument of Start: a traceparent, or a bare trace id, which
// gives a span context without a span.
func parentOf(parent string) trace.SpanContext {
	if id, err := trace.TraceIDFromHex(parent); err == nil {
		return trace.NewSpanContext(trace.SpanContextConfig{TraceID: id})
	}
	return parse(parent)
}

// unsampled reports whether a traceparent is valid and has the decision not to record. It
// allocates nothing.
func unsampled(parent string) bool {
	const length, span, flags = 55, 36, 53
	if len(parent) != length || parent[:3] != "00-" || parent[span-1] != '-' || parent[flags-1:] != "-00" {
		return false // other flags than 00 and 01 are rare: parse decides
	}
	return isID(parent[3:span-1]) && isID(parent[span:flags-1])
}

// isID reports whether a text has lower-case hexadecimal digits only, and another than 0.
func isID(text string) bool {
	zero := true
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
		zero = zero && c == '0'
	}
	return !zero
}

// carried is a context with the parent of a span that was not created because tracing
// is off or the parent is not sampled. It is a context type of its own, so that it costs a single allocation and no
// parsing.
type carried struct {
	context.Context

	parent string
}

type carriedKey struct{}

// Value returns c itself for carriedKey.
func (c *carried) Value(key any) any {
	if key == (carriedKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// traceparent returns the traceparent to pass on, empty if the parent is invalid.
func (c *carried) traceparent() string {
	if parse(c.parent).IsValid() {
		return c.parent
	}
	made, _ := NewTraceparent(c.parent, false)
	return made
}
