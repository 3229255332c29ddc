package telemetry

import (
	"context"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// callerKey marks the context of a span whose parent is a caller outside of Helve.
type callerKey struct{}

// sampler follows the decision of the parent, or else the ratio. With own it ignores the
// decision of callers outside of Helve.
type sampler struct {
	parent, ratio sdktrace.Sampler
	own           bool
}

func newSampler(ratio float64, own bool) sdktrace.Sampler {
	byRatio := sdktrace.TraceIDRatioBased(ratio)
	return sampler{sdktrace.ParentBased(byRatio), byRatio, own}
}

// ShouldSample implements [sdktrace.Sampler].
func (s sampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	if s.own && p.ParentContext.Value(callerKey{}) != nil {
		return s.ratio.ShouldSample(p)
	}
	return s.parent.ShouldSample(p)
}

// Description implements [sdktrace.Sampler].
func (s sampler) Description() string { return s.parent.Description() }

// fromCaller marks ctx as that of a request from outside of Helve.
func fromCaller(ctx context.Context) context.Context {
	return context.WithValue(ctx, callerKey{}, true)
}
