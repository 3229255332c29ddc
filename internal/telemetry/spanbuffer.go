package telemetry

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// SpanOutcome is the outcome of a span that ended.
type SpanOutcome string

// The outcomes of spans: stored by the collector, not stored by it, and dropped because
// too many waited for it.
const (
	SpanExported SpanOutcome = "exported"
	SpanFailed   SpanOutcome = "failed"
	SpanDropped  SpanOutcome = "dropped"
)

// maxSpans is the number of spans that may wait for the collector.
const maxSpans = 4096

// exportTime bounds one export, retries included.
const exportTime = 30 * time.Second

// spanBuffer passes ended spans to the SDK's batches, and drops and counts them while
// maxSpans wait for the collector. The SDK drops spans too, and does not report how many.
type spanBuffer struct {
	sdktrace.SpanProcessor
	waiting *atomic.Int64
	ended   func(SpanOutcome, int)
}

func newSpanBuffer(to sdktrace.SpanExporter, failed func(error), ended func(SpanOutcome, int)) *spanBuffer {
	if failed == nil {
		failed = func(error) {}
	}
	if ended == nil {
		ended = func(SpanOutcome, int) {}
	}
	waiting := new(atomic.Int64)
	batches := sdktrace.NewBatchSpanProcessor(reporting{to, waiting, failed, ended},
		sdktrace.WithMaxQueueSize(maxSpans), sdktrace.WithMaxExportBatchSize(maxBatch), sdktrace.WithExportTimeout(exportTime))
	return &spanBuffer{batches, waiting, ended}
}

// maxBatch is the number of spans in one request to the collector.
const maxBatch = 512

// OnEnd implements [sdktrace.SpanProcessor]. It never waits.
func (b *spanBuffer) OnEnd(span sdktrace.ReadOnlySpan) {
	if !span.SpanContext().IsSampled() {
		return
	}
	if b.waiting.Add(1) > maxSpans {
		b.waiting.Add(-1)
		b.ended(SpanDropped, 1)
		return
	}
	b.SpanProcessor.OnEnd(span)
}

// reporting reports lost batches instead of the SDK's global handler.
type reporting struct {
	sdktrace.SpanExporter
	waiting *atomic.Int64
	failed  func(error)
	ended   func(SpanOutcome, int)
}

// ExportSpans exports spans and always returns nil: a failed batch is lost and
// reported.
func (r reporting) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := r.SpanExporter.ExportSpans(ctx, spans)
	r.waiting.Add(-int64(len(spans)))
	if err != nil {
		r.ended(SpanFailed, len(spans))
		r.failed(fmt.Errorf("lost %d spans: %w", len(spans), err))
		return nil
	}
	r.ended(SpanExported, len(spans))
	return nil
}
