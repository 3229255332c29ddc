package calllog

import (
	"context"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// Trace returns how the engine traces the parts of a call, nil when tracing is off.
func Trace(t *telemetry.Tracing) engine.Trace {
	if !t.Enabled() {
		return nil
	}
	return func(ctx context.Context, part string) (context.Context, func(error)) {
		ctx, span := t.Start(ctx, "", part)
		return ctx, func(err error) { telemetry.EndCall(span, failure(err)) }
	}
}

// failure returns the error type of a part that failed, empty if it did not fail: a
// parked call, or one left to another worker, has not failed.
func failure(err error) string {
	if failed, ok := err.(*tool.Error); ok { //nolint:errorlint // what it wraps is not its kind
		return string(failed.Kind)
	}
	return ""
}
