package telemetry

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// tally counts spans by outcome.
type tally struct {
	mu sync.Mutex
	of map[SpanOutcome]int
}

func (c *tally) ended(outcome SpanOutcome, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[SpanOutcome]int{}
	}
	c.of[outcome] += n
}

func (c *tally) get(outcome SpanOutcome) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[outcome]
}

func TestLostSpansAreReported(t *testing.T) {
	clearOTEL(t)
	refuse := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	defer refuse.Close()
	var lost []error
	var count tally
	tracing := tracingTo(t, TracingOptions{
		Endpoint:    refuse.URL,
		SampleRatio: 1,
		Failed:      func(err error) { lost = append(lost, err) },
		Ended:       count.ended,
	})
	_, span := tracing.Start(t.Context(), "", "work")
	span.End()
	if err := tracing.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown = %v, want nil", err)
	}
	if len(lost) != 1 || !strings.Contains(lost[0].Error(), "lost 1 spans") {
		t.Errorf("Failed was told %v, want one error that says lost 1 spans", lost)
	}
	if count.get(SpanFailed) != 1 {
		t.Errorf("%d spans are counted as failed, want 1", count.get(SpanFailed))
	}
}

// TestHangingCollector: a collector that never answers keeps a bounded number of spans, and
// delays no call: each span that has no room is dropped and counted.
func TestHangingCollector(t *testing.T) {
	clearOTEL(t)
	release := make(chan struct{})
	asked := make(chan struct{}, 1)
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer hangs.Close()
	defer close(release)
	var count tally
	tracing, err := NewTracing(t.Context(), TracingOptions{Endpoint: hangs.URL, SampleRatio: 1, Ended: count.ended})
	if err != nil {
		t.Fatal(err)
	}
	const beyond = 1000
	for range maxSpans + beyond {
		_, span := tracing.Start(t.Context(), "", "work")
		span.End()
	}
	<-asked
	if got := count.get(SpanDropped); got != beyond {
		t.Errorf("%d spans are counted as dropped, want %d", got, beyond)
	}
	bounded, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if tracing.Shutdown(bounded) == nil {
		t.Error("Shutdown = nil, want that the last spans were not sent in time")
	}
}

// TestRoomAfterExport: spans that were exported make room for others.
func TestRoomAfterExport(t *testing.T) {
	clearOTEL(t)
	var count tally
	tracing, err := NewTracing(t.Context(), TracingOptions{Endpoint: newOTLP(t).URL, SampleRatio: 1, Ended: count.ended})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 * maxSpans {
		_, span := tracing.Start(t.Context(), "", "work")
		span.End()
	}
	if err := tracing.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sum := count.get(SpanExported) + count.get(SpanDropped); sum != 3*maxSpans || count.get(SpanExported) < maxSpans ||
		count.get(SpanFailed) != 0 {
		t.Errorf("outcomes %v, want all of %d spans, and %d exported at least", count.of, 3*maxSpans, maxSpans)
	}
}
