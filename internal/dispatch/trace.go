package dispatch

import (
	"cmp"
	"context"

	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// traceAccept begins the span of a call that is to be accepted.
func (d *Dispatcher) traceAccept(ctx context.Context, req *Request, c *Call, def *tool.Definition) context.Context {
	of := d.spanOf(req, c)
	of.Tool, of.Pool = def.Name, def.Pool
	ctx, _ = d.Tracing.StartAccept(ctx, cmp.Or(req.Traceparent, req.TraceID), of)
	return ctx
}

func (d *Dispatcher) spanOf(req *Request, c *Call) telemetry.CallSpan {
	return telemetry.CallSpan{Tool: "unknown", CallID: c.ID, ToolCallID: c.ToolCallID, Tenant: req.Tenant, Dispatcher: d.Queue.Conn.ID()}
}

// traceRefused records the span of a call that is refused. A tool that is not in the
// catalogue is not named: its name is the caller's text.
func (d *Dispatcher) traceRefused(ctx context.Context, req *Request, c *Call, def *tool.Definition, refusal *tool.Error) {
	if !d.Tracing.Enabled() {
		return
	}
	of := d.spanOf(req, c)
	if def != nil {
		of.Tool, of.Pool = def.Name, def.Pool
	}
	_, span := d.Tracing.StartAccept(ctx, cmp.Or(req.Traceparent, req.TraceID), of)
	telemetry.EndCall(span, string(refusal.Kind))
}

// failure returns the error type of a call that could not be accepted, empty for nil.
func failure(err error) string {
	if err == nil {
		return ""
	}
	return string(Unavailable)
}
