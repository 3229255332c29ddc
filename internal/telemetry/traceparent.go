package telemetry

import (
	"context"
	"crypto/rand"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// ParseTraceparent returns the trace id in a W3C traceparent: 32 lower-case hex
// digits, which is also our trace_id. Ok is false for anything malformed.
func ParseTraceparent(traceparent string) (traceID string, ok bool) {
	sc := parse(traceparent)
	if !sc.IsValid() {
		return "", false
	}
	return sc.TraceID().String(), true
}

// NewTraceparent makes a traceparent for a trace_id, with a random span as the
// parent. It is for callers that have a trace but no span; sampled asks those
// who receive it to record. Ok is false where traceID is not a trace id.
func NewTraceparent(traceID string, sampled bool) (traceparent string, ok bool) {
	id, err := trace.TraceIDFromHex(traceID)
	if err != nil {
		return "", false
	}
	var span trace.SpanID
	for !span.IsValid() {
		_, _ = rand.Read(span[:]) // never fails
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

// parentOf reads what Start takes as a parent: a traceparent, or a bare trace
// id, which gives a span context without a span.
func parentOf(parent string) trace.SpanContext {
	if id, err := trace.TraceIDFromHex(parent); err == nil {
		return trace.NewSpanContext(trace.SpanContextConfig{TraceID: id})
	}
	return parse(parent)
}

// carried is ctx with the parent of a span that was not made because tracing
// is off. It is a context of its own, not a value in one, to cost a single
// allocation and no parsing.
type carried struct {
	context.Context //nolint:containedctx // it is a context itself

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

// traceparent is what to send on, empty where the parent makes no sense.
func (c *carried) traceparent() string {
	if parse(c.parent).IsValid() {
		return c.parent
	}
	made, _ := NewTraceparent(c.parent, false)
	return made
}
