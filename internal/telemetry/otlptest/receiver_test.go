package otlptest

import (
	"context"
	"net"
	"testing"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/helve-dev/helve/internal/telemetry"
)

// receive starts a receiver of traces and metrics, and returns its address and what it
// receives.
func receive(t *testing.T) (string, *consumertest.TracesSink, *consumertest.MetricsSink) {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // the receiver does not report which port it has, so it gets a free one
	factory := otlpreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	cfg.Protocols.HTTP.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = address
	sink, numbers := &consumertest.TracesSink{}, &consumertest.MetricsSink{}
	settings := receivertest.NewNopSettings(factory.Type())
	traces, err := factory.CreateTraces(t.Context(), settings, cfg, sink)
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := factory.CreateMetrics(t.Context(), settings, cfg, numbers)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []component.Component{traces, metrics} { // of one server
		if err := part.Start(t.Context(), componenttest.NewNopHost()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = part.Shutdown(context.Background()) })
	}
	return "http://" + address, sink, numbers
}

func TestReceiver(t *testing.T) {
	address, sink, _ := receive(t)
	tracing, err := telemetry.NewTracing(t.Context(), telemetry.TracingOptions{Endpoint: address, Service: "helve-test", SampleRatio: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, outer := tracing.StartCall(t.Context(), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", telemetry.CallSpan{
		Tool: "calculate", CallID: "call-1",
	})
	_, inner := tracing.Start(ctx, "", "inner")
	inner.End()
	telemetry.EndCall(outer, "timeout")
	if err := tracing.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := map[string]ptrace.Span{}
	for _, traces := range sink.AllTraces() {
		for _, resource := range traces.ResourceSpans().All() {
			if name, _ := resource.Resource().Attributes().Get("service.name"); name.Str() != "helve-test" {
				t.Errorf("service.name is %q, want helve-test", name.Str())
			}
			for _, scope := range resource.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					spans[span.Name()] = span
				}
			}
		}
	}
	if len(spans) != 2 {
		t.Fatalf("received %d spans, want 2", len(spans))
	}
	for name, span := range spans {
		if got := span.TraceID().String(); got != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("%s is in the trace %s, want the caller's", name, got)
		}
		if name != "inner" && span.Status().Code() != ptrace.StatusCodeError {
			t.Errorf("%s has the status %v, want an error", name, span.Status().Code())
		}
	}
}
