package otlptest

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// received is a span with the description of its process.
type received struct {
	ptrace.Span
	from pcommon.Map
}

// spansOf returns all spans that were received, by trace.
func spansOf(sink *consumertest.TracesSink) map[string][]received {
	byTrace := map[string][]received{}
	for _, traces := range sink.AllTraces() {
		for _, resource := range traces.ResourceSpans().All() {
			for _, scope := range resource.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					trace := span.TraceID().String()
					byTrace[trace] = append(byTrace[trace], received{span, resource.Resource().Attributes()})
				}
			}
		}
	}
	return byTrace
}

// began returns when a span began. The request to a person has whole milliseconds, rounded
// down, so that it may seem to be older than the run of the call that made it.
func began(s received) time.Time {
	at := s.StartTimestamp().AsTime()
	if s.Name() == "consent wait" {
		at = at.Add(time.Millisecond)
	}
	return at
}

// tree returns the spans of a trace as lines of names, each below its parent, with the
// program that recorded it. Siblings are in the order of their beginning.
func tree(t *testing.T, spans []received) string {
	t.Helper()
	below, known := map[pcommon.SpanID][]received{}, map[pcommon.SpanID]bool{}
	for _, s := range spans {
		if known[s.SpanID()] {
			t.Errorf("two spans have the id %s", s.SpanID())
		}
		known[s.SpanID()] = true
	}
	for _, s := range spans {
		parent := s.ParentSpanID()
		if !known[parent] {
			parent = pcommon.SpanID{} // that of the caller
		}
		below[parent] = append(below[parent], s)
	}
	var lines []string
	var show func(parent pcommon.SpanID, indent string)
	show = func(parent pcommon.SpanID, indent string) {
		list := below[parent]
		slices.SortStableFunc(list, func(a, b received) int {
			return cmp.Or(began(a).Compare(began(b)), cmp.Compare(a.EndTimestamp(), b.EndTimestamp()))
		})
		for _, s := range list {
			program, _ := s.from.Get("service.name")
			failed := ""
			if s.Status().Code() == ptrace.StatusCodeError {
				failed = ", error " + s.Status().Message()
			}
			lines = append(lines, indent+s.Name()+"   ("+program.Str()+failed+")")
			show(s.SpanID(), indent+"    ")
		}
	}
	show(pcommon.SpanID{}, "")
	return "```text\n" + strings.Join(lines, "\n") + "\n```"
}

// attributes returns the attributes of the first span of a name.
func attributes(spans []received, name string) map[string]any {
	for _, s := range spans {
		if s.Name() == name {
			return s.Attributes().AsRaw()
		}
	}
	return nil
}
