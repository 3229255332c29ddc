package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
)

// RequestSpan is the span of a request of a caller. It is recorded once Begin was called,
// with the time of the request: a request that is refused before its caller is known has
// no span, so that a stranger fills no buffer. A nil RequestSpan does nothing.
type RequestSpan struct {
	tracing *Tracing
	name    string
	attrs   []attribute.KeyValue
	from    time.Time
	span    Span
}

// HTTPRequest returns the span of a request for an operation over HTTP, nil when tracing is
// off. The path is that of the operation, never the caller's.
func (t *Tracing) HTTPRequest(operation, method, path string) *RequestSpan {
	if !t.Enabled() {
		return nil
	}
	return t.request(method+" "+path, HTTP, attrOperation.String(operation), semconv.HTTPRequestMethodKey.String(method),
		semconv.HTTPRoute(path))
}

// NATSRequest returns the span of a request for an operation over NATS, nil when tracing is
// off.
func (t *Tracing) NATSRequest(operation string) *RequestSpan {
	if !t.Enabled() {
		return nil
	}
	return t.request("request "+operation, NATS, attrOperation.String(operation))
}

// MCPRequest returns the span of an MCP client's tools/call, nil when tracing is off.
func (t *Tracing) MCPRequest(tool string) *RequestSpan {
	if !t.Enabled() {
		return nil
	}
	return t.request("tools/call "+tool, MCP, semconv.McpMethodNameToolsCall, semconv.GenAIOperationNameExecuteTool,
		semconv.GenAIToolName(tool))
}

func (t *Tracing) request(name string, door Door, attrs ...attribute.KeyValue) *RequestSpan {
	return &RequestSpan{tracing: t, name: name, attrs: append(attrs, attrDoor.String(string(door))), from: time.Now()}
}

// Begin starts the span and returns it in a context, together with its traceparent. The
// parent is a traceparent or a bare trace id; if it is empty a trace begins. It may be called
// again, which has no effect.
func (r *RequestSpan) Begin(ctx context.Context, parent, tenant string) (context.Context, string) {
	if r == nil || r.span != nil {
		return ctx, ""
	}
	t := r.tracing
	sc := parentOf(parent)
	if sc.IsValid() && !sc.IsSampled() && !t.own {
		r.span = noSpan
		return &carried{ctx, parent}, parent
	}
	outer := fromCaller(ctx)
	if sc.HasTraceID() {
		outer = trace.ContextWithRemoteSpanContext(outer, sc)
	}
	outer, r.span = t.tracer.Start(outer, clip(r.name), trace.WithTimestamp(r.from), trace.WithSpanKind(trace.SpanKindServer))
	ctx = trace.ContextWithSpan(ctx, r.span)
	if r.span.IsRecording() {
		r.span.SetAttributes(clipped(append(r.attrs, attrTenant.String(tenant)))...)
	}
	return ctx, Traceparent(outer)
}

// End ends the span with the HTTP status of the answer.
func (r *RequestSpan) End(status int) {
	if r == nil || r.span == nil {
		return
	}
	failure := ""
	if status >= http.StatusInternalServerError {
		failure = strconv.Itoa(status)
	}
	r.span.SetAttributes(semconv.HTTPResponseStatusCode(status))
	EndCall(r.span, failure)
}

// EndCall ends the span with the error type of the call that was requested; empty if it did
// not fail.
func (r *RequestSpan) EndCall(errorType string) {
	if r != nil && r.span != nil {
		EndCall(r.span, errorType)
	}
}
