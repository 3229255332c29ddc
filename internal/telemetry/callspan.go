package telemetry

import (
	"cmp"
	"context"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
)

// Attributes of Helve's own, for what OpenTelemetry's conventions have no name.
const (
	attrDoor       = attribute.Key("helve.door")
	attrOperation  = attribute.Key("helve.operation")
	attrTenant     = attribute.Key("helve.tenant")
	attrCallID     = attribute.Key("helve.call_id")
	attrPool       = attribute.Key("helve.pool")
	attrAttempt    = attribute.Key("helve.attempt")
	attrWorker     = attribute.Key("helve.worker")
	attrDispatcher = attribute.Key("helve.dispatcher")
	attrConsent    = attribute.Key("helve.consent.status")
)

// CallSpan describes the span of a call. It has no user, agent or conversation: what a
// collector stores is not erased with a person's data.
type CallSpan struct {
	Tool, CallID, ToolCallID, Tenant, Pool string
	// Worker and Attempt are those of the run, Dispatcher is that of the acceptance.
	Worker, Dispatcher string
	Attempt            int
}

// StartCall starts the span of one tool call, "execute_tool {name}", with the
// attributes of OpenTelemetry's conventions for generative AI. parent is as in Start.
func (t *Tracing) StartCall(ctx context.Context, parent string, c CallSpan) (context.Context, Span) {
	if t.tracer == nil || unsampled(parent) || parent == "" && left(ctx) {
		return t.Start(ctx, parent, "")
	}
	attrs := append(c.attributes(), attrWorker.String(c.Worker), semconv.GenAIOperationNameExecuteTool)
	if c.Attempt > 0 {
		attrs = append(attrs, attrAttempt.Int(c.Attempt))
	}
	return t.Start(ctx, parent, "execute_tool "+c.Tool, attrs...)
}

// StartAccept starts the span of accepting a call, "accept {name}". parent is as in Start.
func (t *Tracing) StartAccept(ctx context.Context, parent string, c CallSpan) (context.Context, Span) {
	if t.tracer == nil || unsampled(parent) || parent == "" && left(ctx) {
		return t.Start(ctx, parent, "")
	}
	return t.Start(ctx, parent, "accept "+c.Tool, append(c.attributes(), attrDispatcher.String(c.Dispatcher))...)
}

func (c CallSpan) attributes() []attribute.KeyValue {
	return append(make([]attribute.KeyValue, 0, 8),
		semconv.GenAIToolName(c.Tool), semconv.GenAIToolCallID(cmp.Or(c.ToolCallID, c.CallID)),
		attrCallID.String(c.CallID), attrTenant.String(c.Tenant), attrPool.String(c.Pool))
}

// ConsentStatus returns the attribute of a decided consent.
func ConsentStatus(status string) attribute.KeyValue { return attrConsent.String(status) }
