package telemetry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// TracingOptions say whether and where spans go.
type TracingOptions struct {
	// Endpoint is the base URL of an OTLP/HTTP collector; /v1/traces is added
	// if it is not there. Empty leaves it to OTEL_EXPORTER_OTLP_ENDPOINT and
	// its kin; without any of them tracing is off.
	Endpoint string
	// Service is the service.name; OTEL_SERVICE_NAME overrides it.
	Service string
	// SampleRatio is the share of traces recorded, 0 to 1. The choice depends
	// on the trace id alone, so all processes make the same one. A parent
	// that was sampled, or not, decides for its children.
	SampleRatio float64
	// Failed, if set, is told of each batch of spans that was lost.
	Failed func(error)
}

// Tracing starts spans. When it is off a span costs next to nothing, and trace
// context is passed on all the same.
type Tracing struct {
	tracer   trace.Tracer // nil when off
	shutdown func(context.Context) error
}

// NewTracing returns tracing as opts and the OTEL_* environment say. It dials
// nobody, so a collector that is down delays no start.
func NewTracing(ctx context.Context, opts TracingOptions) (*Tracing, error) {
	if off(opts) {
		return &Tracing{}, nil
	}
	var to []otlptracehttp.Option
	if opts.Endpoint != "" {
		base := strings.TrimSuffix(opts.Endpoint, "/")
		to = append(to, otlptracehttp.WithEndpointURL(strings.TrimSuffix(base, "/v1/traces")+"/v1/traces"))
	}
	exporter, err := otlptracehttp.New(ctx, to...)
	if err != nil {
		return nil, fmt.Errorf("cannot export traces; check the OTLP endpoint: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", opts.Service), attribute.String("service.version", Version())),
		resource.WithFromEnv(),
	)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("cannot describe this service to the collector; check OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(reporting{exporter, opts.Failed}),
		sdktrace.WithResource(about),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(opts.SampleRatio))),
	)
	return &Tracing{tracer: provider.Tracer("github.com/helve-dev/helve"), shutdown: provider.Shutdown}, nil
}

func off(opts TracingOptions) bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return true
	}
	return opts.Endpoint == "" && os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == ""
}

// reporting tells of lost batches in place of the SDK's global handler.
type reporting struct {
	sdktrace.SpanExporter
	failed func(error)
}

// ExportSpans returns nil always: the batch is lost, and that is all.
func (r reporting) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := r.SpanExporter.ExportSpans(ctx, spans); err != nil && r.failed != nil {
		r.failed(fmt.Errorf("lost %d spans: %w", len(spans), err))
	}
	return nil
}

// Enabled reports whether spans are recorded at all.
func (t *Tracing) Enabled() bool { return t.tracer != nil }

// noSpan is what Start returns when tracing is off.
var noSpan trace.Span = noop.Span{}

// Start begins a span and returns it in a context. Parent is the traceparent
// that came with the work, or a bare trace_id, under which the trace then
// begins; empty or malformed, the parent is ctx's span. The caller ends the span.
func (t *Tracing) Start(ctx context.Context, parent, name string, attrs ...attribute.KeyValue) (context.Context, trace.Span) {
	if t.tracer == nil {
		if parent == "" {
			return ctx, noSpan
		}
		return &carried{ctx, parent}, noSpan
	}
	if sc := parentOf(parent); sc.HasTraceID() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, sc)
	}
	// Copied, so that attrs need not escape to the heap when tracing is off.
	//nolint:spancheck // the caller ends it
	return t.tracer.Start(ctx, name, trace.WithAttributes(slices.Clone(attrs)...))
}

// StartCall begins the span of one tool call, "execute_tool {name}", with the
// attributes of OpenTelemetry's conventions for generative AI. Parent is as in
// Start.
func (t *Tracing) StartCall(ctx context.Context, parent, tool, callID string) (context.Context, trace.Span) {
	name := ""
	if t.tracer != nil {
		name = "execute_tool " + tool
	}
	return t.Start(ctx, parent, name,
		attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("gen_ai.tool.name", tool),
		attribute.String("gen_ai.tool.call.id", callID),
	)
}

// EndCall ends the span of a call. An errorType that is not empty marks it as
// failed; messages are left out, since they may quote arguments.
func EndCall(span trace.Span, errorType string) {
	if errorType != "" && span.IsRecording() {
		span.SetStatus(codes.Error, errorType)
		span.SetAttributes(attribute.String("error.type", errorType))
	}
	span.End()
}

// Shutdown sends what is still unsent, until ctx ends, and stops.
func (t *Tracing) Shutdown(ctx context.Context) error {
	if t.shutdown == nil {
		return nil
	}
	return t.shutdown(ctx)
}
