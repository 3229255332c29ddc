package tracedport

import (
	"context"
	"net/url"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/helve-dev/helve/internal/telemetry"
)

// MCPCall begins the span of a call of an MCP server. traceparent is for the server; it is
// empty if the server may not learn of traces. end takes the error type, empty for none.
type MCPCall func(ctx context.Context, server, address, name string) (_ context.Context, traceparent string, end func(errorType string))

// MCP returns the spans of calls of MCP servers. hosts are those that may learn of traces; a
// server that is a program on this machine, which has no address, never does.
func MCP(hosts []string) MCPCall {
	return func(ctx context.Context, server, address, name string) (context.Context, string, func(string)) {
		ctx, span := telemetry.Child(ctx, trace.SpanKindClient, "tools/call "+name,
			semconv.McpMethodNameToolsCall, semconv.GenAIOperationNameExecuteTool, semconv.GenAIToolName(name),
			attribute.String("helve.mcp.server", server))
		parent := ""
		if u, err := url.Parse(address); err == nil && address != "" && trusted(u, hosts) {
			parent = telemetry.Traceparent(ctx)
		}
		return ctx, parent, func(errorType string) { telemetry.EndCall(span, errorType) }
	}
}
