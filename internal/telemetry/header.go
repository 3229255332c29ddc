package telemetry

import (
	"context"
	"maps"
	"net/textproto"
	"slices"

	"go.opentelemetry.io/otel/propagation"
)

// Header carries W3C trace context in NATS or HTTP headers. It writes the lower-case
// names of the standard, because NATS headers are case-sensitive; it also reads the
// canonical HTTP form that others write.
type Header map[string][]string

// Get returns the first value of key.
func (h Header) Get(key string) string {
	for _, k := range []string{key, textproto.CanonicalMIMEHeaderKey(key)} {
		if v := h[k]; len(v) > 0 {
			return v[0]
		}
	}
	return ""
}

// Set replaces the values of key.
func (h Header) Set(key, value string) { h[key] = []string{value} }

// Keys lists the names in h.
func (h Header) Keys() []string { return slices.Sorted(maps.Keys(h)) }

var w3c propagation.TraceContext

// Inject writes the trace context of ctx to h, if there is one. It works with tracing
// on and off.
func Inject(ctx context.Context, h Header) {
	c, ok := ctx.Value(carriedKey{}).(*carried)
	if !ok {
		w3c.Inject(ctx, h)
		return
	}
	if parent := c.traceparent(); parent != "" {
		h.Set("traceparent", parent)
	}
}

// Extract returns ctx with the trace context in h, or ctx if h has no valid one.
func Extract(ctx context.Context, h Header) context.Context { return w3c.Extract(ctx, h) }
