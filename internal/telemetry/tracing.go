package telemetry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/helve-dev/helve/internal/x/version"
)

// TracingOptions configures tracing.
type TracingOptions struct {
	// Endpoint is the base URL of an OTLP/HTTP collector; /v1/traces is added if
	// missing. If it is empty, OTEL_EXPORTER_OTLP_ENDPOINT and related variables apply;
	// without any of them tracing is off.
	Endpoint string
	// Service is the service.name; OTEL_SERVICE_NAME overrides it.
	Service string
	// SampleRatio is the share of recorded traces, 0 to 1. The choice depends only on
	// the trace id, so all processes make the same one. If a parent has a sampling
	// decision, it applies to its children.
	SampleRatio float64
	// OwnSampling ignores the sampling decision in the traceparent of a caller: the ratio
	// applies to all requests. The decision of another process of Helve still applies.
	OwnSampling bool
	// Failed, if set, is called for each lost batch of spans.
	Failed func(error)
	// Ended, if set, is called with the number of spans that were exported, that the
	// collector did not store, or for which the buffer had no room.
	Ended func(outcome SpanOutcome, n int)
}

// scope is the name of the instrumentation.
const scope = "github.com/helve-dev/helve"

// Tracing starts spans. When it is off a span costs almost nothing, and trace context
// is still passed on.
type Tracing struct {
	tracer   trace.Tracer // nil when off
	shutdown func(context.Context) error
	own      bool // see TracingOptions.OwnSampling
}

// NewTracing returns tracing configured by opts and the OTEL_* environment. It opens no
// connection, so an unreachable collector delays no start.
func NewTracing(ctx context.Context, opts TracingOptions) (*Tracing, error) {
	if !exports(opts.Endpoint, traceSignal) {
		return &Tracing{}, nil
	}
	settings, err := otlpFrom(opts.Endpoint, traceSignal)
	if err != nil {
		return nil, fmt.Errorf("cannot export traces; check the OTLP endpoint: %w", err)
	}
	exporter, err := otlptrace.New(ctx, newOTLPClient(settings))
	if err != nil {
		return nil, fmt.Errorf("cannot export traces: %w", err)
	}
	about, err := describe(ctx, opts.Service)
	if err != nil {
		return nil, err
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSpanProcessor(newSpanBuffer(exporter, opts.Failed, opts.Ended)),
		sdktrace.WithResource(about),
		sdktrace.WithSampler(newSampler(opts.SampleRatio, opts.OwnSampling)),
	)
	tracer := provider.Tracer(scope, trace.WithInstrumentationVersion(version.String()), trace.WithSchemaURL(semconv.SchemaURL))
	return &Tracing{tracer: tracer, shutdown: provider.Shutdown, own: opts.OwnSampling}, nil
}

// exports reports whether a signal is sent to a collector.
func exports(endpoint string, signal signal) bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_"+signal.upper+"_EXPORTER") == "none" {
		return false
	}
	return endpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal.upper+"_ENDPOINT") != ""
}

// describe returns the description of this process that collectors receive.
func describe(ctx context.Context, service string) (*resource.Resource, error) {
	about, err := resource.New(ctx,
		resource.WithSchemaURL(semconv.SchemaURL),
		resource.WithTelemetrySDK(),
		resource.WithHost(),
		resource.WithAttributes(semconv.ServiceName(service), semconv.ServiceVersion(version.String()), semconv.ServiceInstanceID(instance)),
		resource.WithFromEnv(),
	)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) && !errors.Is(err, resource.ErrSchemaURLConflict) {
		return nil, fmt.Errorf("cannot describe this service to the collector; check OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return about, nil
}

// instance identifies this run of the process among others of its service.
var instance = uuid.NewString()

// Enabled reports whether spans are recorded.
func (t *Tracing) Enabled() bool { return t != nil && t.tracer != nil }

// Shutdown sends the remaining spans, until ctx ends, and stops.
func (t *Tracing) Shutdown(ctx context.Context) error {
	if t.shutdown == nil {
		return nil
	}
	return t.shutdown(ctx)
}
